import type { ResolvedManifest, ResolvedModel } from '../domain/manifest/resolved.ts';
import { costNanoUsd, worstCostNanoUsd } from '../domain/money.ts';
import type { NewJob, NewStep } from '../store/plan-rows.ts';
import type { OutputMean } from '../store/rows.ts';

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

type Question = { readonly task: string; readonly model: string; readonly step: NewStep };

/**
 * One estimate for each model of the manifest. `jobs` are those that will be asked; what several of them ask alike is asked once.
 * `means` are the lengths of earlier answers. No input is assumed to be read from a provider's cache.
 */
export function estimates(manifest: ResolvedManifest, jobs: readonly NewJob[], means: readonly OutputMean[]): ModelEstimate[] {
  const questions = distinct(jobs);
  return Object.values(manifest.models).map((model) => {
    const own = questions.filter((question) => question.model === model.id);
    const lengths = own.map((question) => expectedLength(model, question, means));
    const calls = own.map(({ step }, index) => callEstimate(model, step, lengths[index]?.tokens ?? null));
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

function distinct(jobs: readonly NewJob[]): Question[] {
  const byKey = new Map<string, Question>();
  for (const { task, model, steps } of jobs) {
    for (const step of steps) if (!byKey.has(step.key)) byKey.set(step.key, { task, model, step });
  }
  return [...byKey.values()];
}

type Length = { readonly tokens: number | null; readonly basis: OutputBasis };

function expectedLength({ model, params }: ResolvedModel, { task }: Question, means: readonly OutputMean[]): Length {
  const most = params.maxOutputTokens ?? null;
  const mean = means.find((each) => each.task === task && each.model === model);
  if (mean !== undefined) return { tokens: Math.ceil(Math.min(mean.tokens, most ?? mean.tokens)), basis: 'measured' };
  return most === null ? { tokens: null, basis: null } : { tokens: Math.ceil(most / 2), basis: 'half' };
}

function basisOf(bases: readonly OutputBasis[]): OutputBasis {
  const [first = null, ...others] = new Set(bases.filter((basis) => basis !== null));
  return others.length > 0 ? 'mixed' : first;
}

function callEstimate({ price, params }: ResolvedModel, { inputTokens, maxInputTokens }: NewStep, outputTokens: number | null): Estimate {
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
