import type { ResolvedManifest, ResolvedModel } from '../domain/manifest/resolved.ts';
import { costNanoUsd, worstCostNanoUsd } from '../domain/money.ts';
import type { JobError } from '../domain/result.ts';
import type { LaterCall, NewJob, NewStep } from '../store/plan-rows.ts';
import type { OutputMean } from '../store/rows.ts';
import { DigestSet } from './digest-set.ts';
import { halfAnswer, lengthError } from './length-limit.ts';

/** A job with those of its calls that will be made. */
export type AskedJob = Pick<NewJob, 'jobId' | 'task' | 'model' | 'later'> & {
  readonly steps: readonly Pick<NewStep, 'key' | 'inputTokens' | 'maxInputTokens'>[];
};

/** What asking a model is expected to take, and the most that it can, retries and re-asks apart. `null`: unknown, never 0. */
export type Estimate = {
  readonly inputTokens: number;
  readonly maxInputTokens: number;
  readonly outputTokens: number | null;
  readonly maxOutputTokens: number | null;
  readonly expectedNanoUsd: number | null;
  readonly worstNanoUsd: number | null;
};

/** Where the length of an answer is taken from: earlier answers, half of `maxOutputTokens`, or both; `null`: it is unknown. */
type OutputBasis = 'measured' | 'half' | 'mixed' | null;

export type ModelEstimate = Estimate & { readonly model: string; readonly outputBasis: OutputBasis };

type CallTokens = Pick<NewStep, 'inputTokens' | 'maxInputTokens'>;

/** One estimate for each model of the manifest. No input is assumed to be read from a provider's cache. */
export function estimates(manifest: ResolvedManifest, sums: readonly CallSum[]): ModelEstimate[] {
  return Object.keys(manifest.models).map((model) => {
    const own = sums.filter((sum) => sum.model === model);
    return { model, ...total(own.map(({ estimate }) => estimate)), outputBasis: basisOf(own.map(({ basis }) => basis)) };
  });
}

/** The sum; unknown as soon as one part is. */
export function total(parts: readonly Estimate[]): Estimate {
  return parts.reduce(both, NOTHING);
}

const NOTHING: Estimate = {
  inputTokens: 0,
  maxInputTokens: 0,
  outputTokens: 0,
  maxOutputTokens: 0,
  expectedNanoUsd: 0,
  worstNanoUsd: 0,
};

function both(one: Estimate, other: Estimate): Estimate {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    maxInputTokens: one.maxInputTokens + other.maxInputTokens,
    outputTokens: plus(one.outputTokens, other.outputTokens),
    maxOutputTokens: plus(one.maxOutputTokens, other.maxOutputTokens),
    expectedNanoUsd: plus(one.expectedNanoUsd, other.expectedNanoUsd),
    worstNanoUsd: plus(one.worstNanoUsd, other.worstNanoUsd),
  };
}

function plus(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other;
}

/** The calls of one task to one model, the `reduce` of answers included, retries and re-asks apart. */
export type CallSum = {
  readonly task: string;
  readonly model: string;
  readonly calls: number;
  /** Of their prompts, answers in them taken for half as long as they can be. */
  readonly inputTokens: number;
  readonly estimate: Estimate;
  readonly basis: OutputBasis;
};

type GrowingSum = { -readonly [Field in keyof CallSum]: CallSum[Field] } & { readonly estimateOf: (call: LaterCall) => Estimate };

/**
 * Sums up the calls that asking jobs takes, without keeping them. What several jobs ask alike is asked once, by the first of them; what
 * follows from answers has no key yet: taken for a call of its own. `means` are the lengths of earlier answers.
 */
export class CallSums {
  readonly #manifest: ResolvedManifest;
  readonly #means: readonly OutputMean[];
  readonly #keys = new DigestSet();
  readonly #sums: GrowingSum[] = [];
  #last: GrowingSum | undefined;

  constructor(manifest: ResolvedManifest, means: readonly OutputMean[]) {
    this.#manifest = manifest;
    this.#means = means;
  }

  add({ task, model, steps, later }: AskedJob): void {
    for (const { key, inputTokens, maxInputTokens } of steps) {
      if (this.#keys.add(key)) this.#count(this.#sumOf(task, model), { inputTokens, maxInputTokens, answers: 0 });
    }
    for (const call of later) this.#count(this.#sumOf(task, model), call);
  }

  /** In the order in which they are first asked. */
  sums(): readonly CallSum[] {
    return this.#sums;
  }

  #count(sum: GrowingSum, call: LaterCall): void {
    sum.calls += 1;
    sum.inputTokens += call.inputTokens;
    sum.estimate = both(sum.estimate, sum.estimateOf(call));
  }

  #sumOf(task: string, model: string): GrowingSum {
    const isOfBoth = (sum: CallSum): boolean => sum.task === task && sum.model === model;
    if (this.#last === undefined || !isOfBoth(this.#last)) this.#last = this.#sums.find(isOfBoth) ?? this.#begin(task, model);
    return this.#last;
  }

  #begin(task: string, id: string): GrowingSum {
    const model = this.#manifest.models[id];
    const { tokens, basis } = model === undefined ? NO_LENGTH : expectedLength(model, task, this.#means);
    const mean = model === undefined ? null : meanOf(model, task, this.#means);
    const estimateOf = (call: LaterCall): Estimate =>
      model === undefined ? NOTHING : callEstimate(model, expectedCall(call, model, mean), tokens);
    const sum: GrowingSum = { task, model: id, calls: 0, inputTokens: 0, estimate: NOTHING, basis, estimateOf: ofLast(estimateOf) };
    this.#sums.push(sum);
    return sum;
  }
}

/** Those of jobs that are all at hand. */
export function sumCalls(manifest: ResolvedManifest, jobs: readonly AskedJob[], means: readonly OutputMean[]): readonly CallSum[] {
  const all = new CallSums(manifest, means);
  for (const job of jobs) all.add(job);
  return all.sums();
}

/** Repeats of a question take the same. */
function ofLast(estimateOf: (call: LaterCall) => Estimate): (call: LaterCall) => Estimate {
  let last: { readonly call: LaterCall; readonly estimate: Estimate } | null = null;
  return (call) => {
    const { inputTokens, maxInputTokens, answers } = call;
    const isSame = last?.call.inputTokens === inputTokens && last.call.maxInputTokens === maxInputTokens && last.call.answers === answers;
    if (last === null || !isSame) last = { call, estimate: estimateOf(call) };
    return last.estimate;
  };
}

/** How many calls these are. */
export function callsOf(sums: readonly CallSum[]): number {
  return sums.reduce((all, { calls }) => all + calls, 0);
}

type Length = { readonly tokens: number | null; readonly basis: OutputBasis };

const NO_LENGTH: Length = { tokens: null, basis: null };

function expectedLength(model: ResolvedModel, task: string, means: readonly OutputMean[]): Length {
  const most = model.params.maxOutputTokens ?? null;
  const mean = meanOf(model, task, means);
  if (mean !== null) return { tokens: mean, basis: 'measured' };
  return most === null ? NO_LENGTH : { tokens: Math.ceil(most / 2), basis: 'half' };
}

/** How long answers to the task were, as far as they may be as long now; `null`: there are none. */
function meanOf({ model, params }: ResolvedModel, task: string, means: readonly OutputMean[]): number | null {
  const mean = weighted(
    means.filter((each) => each.task === task && each.model === model),
    ({ tokens }) => tokens,
  );
  return mean === null ? null : Math.ceil(Math.min(mean, params.maxOutputTokens ?? mean));
}

/** How long the model took at this endpoint: for the task, else for any. `null`: nobody knows. */
export function timeOf(
  { task, model, endpoint }: Pick<OutputMean, 'task' | 'model' | 'endpoint'>,
  means: readonly OutputMean[],
): number | null {
  const here = means.filter((each) => each.model === model && each.endpoint === endpoint && each.latencyMs !== null);
  const ofTask = here.filter((each) => each.task === task);
  return weighted(ofTask.length > 0 ? ofTask : here, ({ latencyMs }) => latencyMs ?? 0);
}

/** By the number of calls; `null` without one. */
function weighted(means: readonly OutputMean[], value: (mean: OutputMean) => number): number | null {
  const calls = means.reduce((sum, mean) => sum + mean.calls, 0);
  return calls === 0 ? null : means.reduce((sum, mean) => sum + value(mean) * mean.calls, 0) / calls;
}

/** A call as it is likely to be: told answers as long as earlier ones, where there are any. */
function expectedCall<Call extends LaterCall>(call: Call, model: ResolvedModel, mean: number | null): Call {
  return mean === null ? call : { ...call, inputTokens: call.inputTokens + call.answers * (mean - halfAnswer(model)) };
}

/** Why a call that follows from other answers is likely too long to be asked; `null`: it is not. Only its answers will tell. */
export function likelyTooLong(
  manifest: ResolvedManifest,
  { task, model: id, later }: Pick<NewJob, 'task' | 'model' | 'later'>,
  means: readonly OutputMean[],
): JobError | null {
  const model = manifest.models[id];
  if (model === undefined) return null;
  const mean = meanOf(model, task, means);
  const errors = later.map((call) => lengthError(manifest, model, expectedCall(call, model, mean).inputTokens));
  return errors.find((error) => error !== null) ?? null;
}

function basisOf(bases: readonly OutputBasis[]): OutputBasis {
  const [first = null, ...others] = new Set(bases.filter((basis) => basis !== null));
  return others.length > 0 ? 'mixed' : first;
}

function callEstimate(
  { price, params }: ResolvedModel,
  { inputTokens, maxInputTokens }: CallTokens,
  outputTokens: number | null,
): Estimate {
  const maxOutputTokens = params.maxOutputTokens ?? null;
  const usage = { uncachedInput: inputTokens, cacheRead: 0, cacheWrite: 0, output: outputTokens ?? 0, reasoning: 0 };
  return {
    inputTokens,
    maxInputTokens,
    outputTokens,
    maxOutputTokens,
    expectedNanoUsd: outputTokens === null && price !== 'free' ? null : costNanoUsd(usage, price),
    worstNanoUsd: worstCostNanoUsd({ price, maxOutputTokens }, maxInputTokens),
  };
}
