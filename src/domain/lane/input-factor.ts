import type { CallSeen, LanePace, TokenEstimate } from './lane.ts';

/** Tokens that a server counts for one that we estimate: below it the server counts something else. */
const LEAST_FACTOR = 0.2;
/** Beyond so many for one, a count is no count. */
export const LARGEST_FACTOR = 5;
/** Of shorter prompts, what a server adds itself is most. */
const LEAST_TOKENS = 50;
const FACTOR_WEIGHT = 0.2;
/** A lane that many manifests use for years remembers so many models. */
const MOST_MODELS = 50;

/** Whether a server's count of an input can be believed. */
export function isPlausibleInput(counted: number, { inputTokens }: TokenEstimate): boolean {
  return counted >= LEAST_FACTOR * inputTokens && counted <= LARGEST_FACTOR * Math.max(LEAST_TOKENS, inputTokens);
}

/** Factors after a server counted a call's input. The model that was used least recently is forgotten. */
export function withFactor(factors: LanePace['inputFactors'], { model, estimate }: CallSeen, counted: number): LanePace['inputFactors'] {
  if (estimate.inputTokens < LEAST_TOKENS || !isPlausibleInput(counted, estimate)) return factors;
  const factor = counted / estimate.inputTokens;
  const known = Object.hasOwn(factors, model) ? factors[model] : undefined;
  const others = Object.entries(factors).filter(([name]) => name !== model);
  const next = known === undefined ? factor : known + FACTOR_WEIGHT * (factor - known);
  return Object.fromEntries([...others, [model, next]].slice(-MOST_MODELS));
}
