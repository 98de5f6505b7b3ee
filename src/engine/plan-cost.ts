import type { ResolvedManifest, ResolvedModel } from '../domain/manifest/resolved.ts';
import { costNanoUsd, worstCostNanoUsd } from '../domain/money.ts';
import type { JobError } from '../domain/result.ts';
import type { LaterCall, NewJob, NewStep } from '../store/plan-rows.ts';
import type { OutputMean } from '../store/rows.ts';
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

/** One call; `key` tells calls apart that several jobs make alike. */
export type Question = { readonly task: string; readonly model: string; readonly key: string; readonly tokens: LaterCall };

/**
 * One estimate for each model of the manifest. `jobs` are those that will be asked; what several of them ask alike is asked once.
 * `means` are the lengths of earlier answers. No input is assumed to be read from a provider's cache.
 */
export function estimates(manifest: ResolvedManifest, jobs: readonly AskedJob[], means: readonly OutputMean[]): ModelEstimate[] {
  const questions = distinctCalls(jobs);
  return Object.values(manifest.models).map((model) => {
    const own = questions.filter((question) => question.model === model.id);
    const lengths = own.map((question) => expectedLength(model, question, means));
    const calls = own.map(({ task, tokens }, index) =>
      callEstimate(model, expectedCall(tokens, model, meanOf(model, task, means)), lengths[index]?.tokens ?? null),
    );
    return { model: model.id, ...total(calls), outputBasis: basisOf(lengths.map(({ basis }) => basis)) };
  });
}

/** The sum; unknown as soon as one part is. */
export function total(parts: readonly Estimate[]): Estimate {
  return {
    inputTokens: sum(parts.map((part) => part.inputTokens)) ?? 0,
    maxInputTokens: sum(parts.map((part) => part.maxInputTokens)) ?? 0,
    outputTokens: sum(parts.map((part) => part.outputTokens)),
    maxOutputTokens: sum(parts.map((part) => part.maxOutputTokens)),
    expectedNanoUsd: sum(parts.map((part) => part.expectedNanoUsd)),
    worstNanoUsd: sum(parts.map((part) => part.worstNanoUsd)),
  };
}

function sum(values: readonly (number | null)[]): number | null {
  return values.reduce<number | null>((before, value) => (before === null || value === null ? null : before + value), 0);
}

/** The calls that asking these jobs takes, the `reduce` of their answers included, retries and re-asks apart. */
export function callsOf(jobs: readonly AskedJob[]): number {
  return distinctCalls(jobs).length;
}

/** Those calls, each once. */
export function distinctCalls(jobs: readonly AskedJob[]): Question[] {
  const questions = new Map<string, Question>();
  for (const job of jobs) for (const question of questionsOf(job)) questions.set(question.key, question);
  return [...questions.values()];
}

/** What follows from answers has no key yet: taken for a call of its own. */
function questionsOf({ jobId, task, model, steps, later }: AskedJob): Question[] {
  return [
    ...steps.map(({ key, inputTokens, maxInputTokens }) => ({ task, model, key, tokens: { inputTokens, maxInputTokens, answers: 0 } })),
    ...later.map((tokens, index) => ({ task, model, key: `${index} after ${jobId}`, tokens })),
  ];
}

type Length = { readonly tokens: number | null; readonly basis: OutputBasis };

function expectedLength(model: ResolvedModel, { task }: Question, means: readonly OutputMean[]): Length {
  const most = model.params.maxOutputTokens ?? null;
  const mean = meanOf(model, task, means);
  if (mean !== null) return { tokens: mean, basis: 'measured' };
  return most === null ? { tokens: null, basis: null } : { tokens: Math.ceil(most / 2), basis: 'half' };
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
