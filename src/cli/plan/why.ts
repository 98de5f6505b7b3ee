import { sha256Hex } from '../../domain/canonical-json.ts';
import { type KeyDifference, keyDifference } from '../../domain/key-difference.ts';
import { settingsOf } from '../../engine/enqueue.ts';
import type { KeyFact, RelatedAnswer } from '../../store/key-facts.ts';
import type { NewJob, NewStep } from '../../store/plan-rows.ts';
import type { Store } from '../../store/store.ts';
import { type JobFate, servesAnswers } from './job-fates.ts';
import type { Prepared } from './prepare.ts';
import { type TextDifference, textDifferences } from './why-texts.ts';

/** Why the answer to one question of a job is known, or not. */
export type WhyStep = {
  /** Index of the part; `null`: the document is asked whole. */
  readonly part: number | null;
  /** `too_old`: by `cache.ttlDays`; `unused`: the run takes no answers of others; `unknown`: nothing is stored under its key. */
  readonly state: 'known' | 'too_old' | 'unused' | 'known_bad' | 'unknown';
  readonly fact: KeyFact;
  /** Of an unknown one. */
  readonly nearest: Nearest | null;
};

/** The stored answer whose question is the most like this one, and what is not the same. */
export type Nearest = {
  readonly answer: RelatedAnswer;
  readonly differences: readonly KeyDifference[];
  /** Where the texts part of which a prompt was made, as far as they are kept. */
  readonly texts: readonly TextDifference[];
};

export type Why = { readonly fate: JobFate; readonly steps: readonly WhyStep[] };

export type WhyInput = { readonly store: Store | null; readonly prepared: Prepared; readonly fate: JobFate };

/** Looks up why a planned job would be asked, or served. */
export async function whyOf({ store, prepared, fate }: WhyInput): Promise<Why> {
  const { job } = fate;
  const facts = store === null ? new Map<string, KeyFact>() : await store.keyFacts(job.steps.map(({ key }) => key));
  const { cacheTtlMs } = settingsOf(prepared.manifest);
  const young = store === null ? new Set<string>() : await store.cachedKeys([...facts.keys()], null, cacheTtlMs);
  const states = job.steps.map((step) => stateOf(facts.get(step.key), young.has(step.key), servesAnswers(prepared.manifest)));
  const related = store === null || !states.includes('unknown') ? [] : await relatedTo(store, job);
  const steps = job.steps.map(async (step, index) => ({
    part: step.kind === 'chunk' ? step.index : null,
    state: states[index] ?? 'unknown',
    fact: facts.get(step.key) ?? NO_FACT,
    nearest: store !== null && states[index] === 'unknown' ? await nearestOf({ store, prepared, job, step }, related) : null,
  }));
  return { fate, steps: await Promise.all(steps) };
}

const NO_FACT: KeyFact = { answer: null, bad: null };

function stateOf({ answer, bad }: KeyFact = NO_FACT, isYoung: boolean, isUsed: boolean): WhyStep['state'] {
  if (answer !== null) return !isUsed ? 'unused' : isYoung ? 'known' : 'too_old';
  if (bad === null) return 'unknown';
  return isUsed ? 'known_bad' : 'unused';
}

const MOST_RELATED = 200;

async function relatedTo(store: Store, { documentId, task, steps }: NewJob): Promise<readonly RelatedAnswer[]> {
  const promptSha256 = promptOf(steps[0]);
  return await store.relatedAnswers({ documentId, task, promptSha256, limit: MOST_RELATED });
}

function promptOf(step: NewStep | undefined): string {
  const record = step?.keyRecord ?? null;
  const hash = typeof record === 'object' && record !== null && 'promptSha256' in record ? record.promptSha256 : null;
  return typeof hash === 'string' ? hash : sha256Hex('');
}

type StepInput = { readonly store: Store; readonly prepared: Prepared; readonly job: NewJob; readonly step: NewStep };

/** Of the same model and part, if there is one; of these the one with the fewest differences, of these the newest. */
async function nearestOf(input: StepInput, related: readonly RelatedAnswer[]): Promise<Nearest | null> {
  const { job, step } = input;
  const ranked = related.map((answer, order) => {
    const differences = keyDifference(step.keyRecord, answer.keyRecord);
    const isOther = answer.job !== null && answer.job.model !== job.model;
    const isOtherPart = (answer.part?.index ?? null) !== (step.kind === 'chunk' ? step.index : null);
    return { answer, differences, rank: [Number(isOther), Number(isOtherPart), differences.length, order] };
  });
  ranked.sort((one, other) => compare(one.rank, other.rank));
  const [first] = ranked;
  if (first === undefined) return null;
  const { answer, differences } = first;
  return { answer, differences, texts: await textDifferences({ ...input, answer, differences }) };
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at === -1 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}
