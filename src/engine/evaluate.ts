import type { Completion } from '../domain/completion.ts';
import type { CanonicalText } from '../domain/document.ts';
import type { ResolvedManifest, ResolvedModel, ResolvedTask } from '../domain/manifest/resolved.ts';
import type { Failure } from '../domain/reason.ts';
import { jobVerdict } from '../domain/verdict.ts';
import { answerFailure } from '../providers/classify-answer.ts';
import type { Provider } from '../providers/provider.ts';
import type { Store } from '../store/store.ts';
import type { CallOutcome, CallWork, Claim, FinishWork, ReaskInput, StepOutcome } from '../store/work.ts';
import { type CallEnd, type CallTarget, makeCall, type StopSignals, settledCall } from './call.ts';
import type { CallWatch } from './call-watch.ts';
import { type Pool, PoolTimeout } from './pool.ts';

export type EvaluateDependencies = {
  readonly manifest: ResolvedManifest;
  readonly store: Store;
  readonly pool: Pool;
  /** The provider of this id, made on first use. */
  readonly provider: (id: string) => Promise<Provider>;
  /** The text stored at plan time. */
  readonly text: (documentId: string) => Promise<CanonicalText>;
  readonly signals: StopSignals;
  /** Says which call a person wants ended. */
  readonly calls: Pick<CallWatch, 'begin' | 'end'>;
};

/** Does the work of one claim and says what came of it; `null` when the lease was lost before anything was sent. */
export async function evaluate(claim: Claim, deps: EvaluateDependencies): Promise<StepOutcome | null> {
  const { work } = claim;
  if (work.kind === 'finish') return finish(claim, work, deps);
  const { task, model } = assignment(claim, deps.manifest);
  if (work.kind === 'judge') {
    const answer = { callToken: work.callToken, completion: work.completion, call: settledCall(work.completion, model) };
    return judgeAnswer(task, work, answer, deps.pool);
  }
  const target = { task, model, document: await deps.text(claim.job.documentId), provider: await deps.provider(model.provider) };
  const end = await watchedCall(claim, work, target, deps);
  if (end.kind === 'lost') return null;
  if (end.kind === 'outcome') return end.outcome;
  return judgeAnswer(task, work, { callToken: claim.token, completion: end.completion, call: end.call }, deps.pool);
}

async function watchedCall(claim: Claim, work: CallWork, target: CallTarget, deps: EvaluateDependencies): Promise<CallEnd> {
  const cancel = deps.calls.begin(claim.token);
  try {
    return await makeCall({ claim, work }, target, { store: deps.store, signals: { ...deps.signals, cancel } });
  } finally {
    deps.calls.end(claim.token);
  }
}

function assignment(claim: Claim, manifest: ResolvedManifest): { task: ResolvedTask; model: ResolvedModel } {
  const task = manifest.tasks[claim.job.task];
  const model = manifest.models[claim.job.model];
  if (task === undefined || model === undefined) throw new Error(`job ${claim.job.jobId} is not of this run's manifest`);
  return { task, model };
}

type StoredAnswer = { readonly callToken: string; readonly completion: Completion; readonly call: CallOutcome };
type Asked = { readonly stepKind: string; readonly reask: ReaskInput | null };

/** Whether a stored answer may stand: complete, not refused, and valid against the task's schema. */
async function judgeAnswer(task: ResolvedTask, asked: Asked, answer: StoredAnswer, pool: Pool): Promise<StepOutcome> {
  const { callToken, completion, call } = answer;
  const failure = answerFailure(completion);
  if (failure !== null) return { kind: 'failed', callToken, failure, call };
  const { format, schema } = task.output;
  const form = format === 'text' ? { format } : { format, schema };
  const parsed = await settleTimeout(pool.parse({ content: completion.content, form, finishReason: completion.finishReason }));
  // The schema's pattern is at fault, not the answer: nothing may be remembered against it.
  if (parsed instanceof PoolTimeout) return { kind: 'failed', callToken, failure: checkError('the validation', parsed), call };
  if (parsed.ok) return { kind: 'answered', callToken, answer: parsed.answer, repaired: parsed.repaired, call };
  const invalid = invalidAnswer(parsed.errors, completion);
  if (parsed.empty) return { kind: 'failed', callToken, failure: { ...invalid, reason: 'empty_answer' }, call };
  if (asked.stepKind === 'reask' || task.output.reask === 0) return { kind: 'failed', callToken, failure: invalid, call };
  return { kind: 'superseded', callToken, reask: { answer: completion.content, errors: parsed.errors }, failure: invalid, call };
}

const PARTIAL_CHARACTERS = 4096;

function invalidAnswer(errors: readonly string[], completion: Completion): Failure {
  return {
    class: 'quality',
    reason: 'invalid_answer',
    message: errors.join('; '),
    partial: completion.content.slice(0, PARTIAL_CHARACTERS),
    ...(completion.requestId === null ? {} : { requestId: completion.requestId }),
  };
}

function checkError(what: string, { message }: PoolTimeout): Failure {
  return { class: 'permanent', reason: 'check_error', message: `${what}: ${message}` };
}

/** Runs the checks on the job's answer and sets its verdict. */
async function finish(claim: Claim, work: FinishWork, deps: EvaluateDependencies): Promise<StepOutcome> {
  const { task } = assignment(claim, deps.manifest);
  const answer = work.answers.at(-1);
  if (answer === undefined) throw new Error(`job ${claim.job.jobId} has no answer to finish`);
  const document = await deps.text(claim.job.documentId);
  const scores = await settleTimeout(deps.pool.judge({ answer: answer.answer, document, checks: task.checks }));
  if (scores instanceof PoolTimeout) {
    return { kind: 'unjudged', failure: checkError('the checks', scores) };
  }
  const { callToken, repaired, mode } = answer;
  const reasked = answer.stepKind === 'reask';
  return { kind: 'finished', result: { verdict: jobVerdict(scores), scores, answer: answer.answer, repaired, reasked, mode, callToken } };
}

async function settleTimeout<Value>(work: Promise<Value>): Promise<Value | PoolTimeout> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PoolTimeout) return error;
    throw error;
  }
}
