import type { JudgeInput, Origin } from '../checks/judge-input.ts';
import { coverageOf } from '../domain/coverage.ts';
import type { CanonicalText, Span } from '../domain/document.ts';
import type { ResolvedManifest, ResolvedModel, ResolvedTask } from '../domain/manifest/resolved.ts';
import type { Part } from '../domain/part.ts';
import type { Failure } from '../domain/reason.ts';
import type { JobResult } from '../domain/result.ts';
import type { Score } from '../domain/score.ts';
import { jobVerdict } from '../domain/verdict.ts';
import type { Store } from '../store/store.ts';
import type { Claim, FinishWork, StepAnswer, StepOutcome } from '../store/work.ts';
import { findElsewhere, lostQuotes } from './other-documents.ts';
import { type Pool, PoolTimeout } from './pool.ts';
import { questionText, schemaText } from './prompt.ts';
import { reduceFailure, reduceStep } from './reduce-step.ts';

export type Finishing = {
  readonly claim: Claim;
  readonly answers: FinishWork['answers'];
  readonly manifest: ResolvedManifest;
  readonly task: ResolvedTask;
  readonly model: ResolvedModel;
  readonly document: CanonicalText;
  readonly store: Pick<Store, 'documents' | 'canonicalText'>;
  readonly pool: Pick<Pool, 'merge' | 'judge' | 'seek'>;
};

/** A job's answer, and what is known of how it came about. `parts`: empty when the document was asked whole. */
type JobAnswer = Pick<JobResult, 'answer' | 'repaired' | 'reasked' | 'mode' | 'callToken'> & {
  readonly parts: readonly Part[];
  readonly origins: readonly Origin[];
};

/**
 * What comes of a job whose calls are all answered: its verdict; or, of one that was asked in parts, one more call which makes an
 * answer of them.
 */
export async function finish(finishing: Finishing): Promise<StepOutcome> {
  const chunks = lastOfEachPart(finishing.answers);
  try {
    const answer = chunks.length === 0 ? wholeAnswer(finishing) : await answerOfParts(finishing, chunks);
    return 'kind' in answer ? answer : await judged(finishing, answer);
  } catch (error) {
    if (!(error instanceof PoolTimeout)) throw error;
    return unjudged({ class: 'permanent', reason: 'check_error', message: `the checks: ${error.message}` });
  }
}

function unjudged(failure: Failure): StepOutcome {
  return { kind: 'unjudged', failure };
}

function wholeAnswer({ claim, answers }: Finishing): JobAnswer {
  const last = answers.at(-1);
  if (last === undefined) throw new Error(`job ${claim.job.jobId} has no answer to finish`);
  const { answer, repaired, mode, callToken } = last;
  return { answer, repaired, mode, callToken, reasked: last.stepKind === 'reask', parts: [], origins: [] };
}

type AnsweredPart = StepAnswer & { readonly part: Part };

/** In the order of the parts. */
function lastOfEachPart(answers: readonly StepAnswer[]): readonly AnsweredPart[] {
  const last = new Map<number, AnsweredPart>();
  for (const answer of answers) {
    const { asked } = answer;
    if (asked.kind === 'part') last.set(asked.part.index, { ...answer, part: asked.part });
  }
  return [...last.values()].sort((a, b) => a.part.index - b.part.index);
}

async function answerOfParts(finishing: Finishing, chunks: readonly AnsweredPart[]): Promise<JobAnswer | StepOutcome> {
  const { claim, manifest, task, model, document, pool } = finishing;
  const { merge } = task;
  const [first] = chunks;
  if (merge === null || first?.part.of !== chunks.length) throw new Error(`job ${claim.job.jobId} has not the answers of all its parts`);
  const reduce = finishing.answers.findLast(({ asked }) => asked.kind === 'reduce') ?? null;
  const reduced = reduce === null ? null : { answer: reduce.answer };
  const { merged, final } = await pool.merge({
    document,
    parts: chunks,
    rule: merge,
    checks: task.checks,
    reduced,
    schema: task.output.schema,
  });
  if (final === null) {
    const asked = { documentId: claim.job.documentId, content: document };
    const step = reduceStep({ manifest, task, model, repeat: claim.job.repeat, document: asked, merged: merged.answer, answers: chunks });
    const failure = reduceFailure({ manifest, model }, step);
    return failure === null ? { kind: 'reduce', step } : unjudged(failure);
  }
  if (!final.ok) return unjudged({ class: 'quality', reason: 'invalid_answer', message: final.message });
  const used = reduce === null ? chunks : [...chunks, reduce];
  return {
    answer: final.answer,
    repaired: used.some(({ repaired }) => repaired),
    reasked: used.some(({ stepKind }) => stepKind === 'reask'),
    mode: sameMode(used),
    callToken: reduce?.callToken ?? null,
    parts: chunks.map(({ part }) => part),
    origins: merged.origins,
  };
}

/** `null` where the answers were given in several. */
function sameMode(answers: readonly StepAnswer[]): JobResult['mode'] {
  const [first, ...others] = new Set(answers.map(({ mode }) => mode));
  return others.length === 0 ? (first ?? null) : null;
}

async function judged(finishing: Finishing, { parts, origins, ...answer }: JobAnswer): Promise<StepOutcome> {
  const { task, document } = finishing;
  const seen: readonly Span[] = parts.length === 0 ? [{ start: 0, end: document.text.length }] : parts.map(spanOf);
  const promptText = questionWords(finishing, parts);
  const scores = await judge(finishing, { answer: answer.answer, document, checks: task.checks, seen, origins, promptText, elsewhere: {} });
  const coverage = coverageOf(document, seen, Math.max(1, parts.length));
  return { kind: 'finished', result: { ...answer, verdict: jobVerdict(scores), scores, coverage } };
}

function spanOf({ start, end }: Part): Span {
  return { start, end };
}

/** The schema too was before the model's eyes, and its descriptions hold words. */
function questionWords({ claim, task, document }: Finishing, parts: readonly Part[]): string {
  const { schema } = task.output;
  const question = questionText(task, { documentId: claim.job.documentId, content: document }, parts);
  return schema === null ? question : `${question}\n${schemaText(schema)}`;
}

/** Quotes that stand nowhere in the document are looked for in the run's others, and judged once more with what was found. */
async function judge({ claim, store, pool }: Finishing, input: JudgeInput): Promise<readonly Score[]> {
  const scores = await pool.judge(input);
  const lost = lostQuotes(scores);
  if (lost.length === 0) return scores;
  const elsewhere = await findElsewhere(lost, { store, pool, runId: claim.runId, documentId: claim.job.documentId });
  return Object.keys(elsewhere).length === 0 ? scores : pool.judge({ ...input, elsewhere });
}
