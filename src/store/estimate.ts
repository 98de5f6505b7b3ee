import type { WorstCase } from '../domain/budget.ts';
import { callCost } from '../domain/call-cost.ts';
import type { TokenEstimate } from '../domain/lane/lane.ts';
import { ASSUMED_OUTPUT_TOKENS, type ModelRate, UNKNOWN_RATE, worstCostNanoUsd } from '../domain/money.ts';
import type { RunFacts } from './run-facts.ts';
import type { CallOutcome } from './work.ts';

/** What a step's call may take of a lane and of a budget. */
type Sized = { readonly model: string; readonly inputTokens: number; readonly maxInputTokens: number };

/** The price and the bound of a model's calls, by the newest manifest. */
export function rateOf({ settings }: Pick<RunFacts, 'settings'>, model: string): ModelRate {
  return Object.hasOwn(settings.rates, model) ? (settings.rates[model] ?? UNKNOWN_RATE) : UNKNOWN_RATE;
}

/** What a settled call of unknown cost comes to by the price of now: none may have been known when it was claimed. */
export function costByNow(run: RunFacts, model: string, { state, usage }: CallOutcome): number | null {
  return state !== 'settled' || usage === null ? null : callCost({ usage }, rateOf(run, model));
}

/** What the call of a step is taken to use. */
export function estimateOf(run: RunFacts, { model, inputTokens, maxInputTokens }: Sized): TokenEstimate {
  return { inputTokens, maxInputTokens, maxOutputTokens: rateOf(run, model).maxOutputTokens ?? ASSUMED_OUTPUT_TOKENS };
}

/** The most that the call of a step may cost and use, by the newest manifest's prices. */
export function worstOf(run: RunFacts, step: Sized): WorstCase {
  const { maxInputTokens, maxOutputTokens } = estimateOf(run, step);
  return { nanoUsd: worstCostNanoUsd(rateOf(run, step.model), maxInputTokens), tokens: maxInputTokens + maxOutputTokens };
}
