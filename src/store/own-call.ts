import type { CallOutcome, StepOutcome } from './work.ts';

/** Outcome of the call that this very lease made; `null` when the outcome speaks of another call or of none. */
export function ownCallOutcome(token: string, outcome: StepOutcome): CallOutcome | null {
  if (!('call' in outcome)) return null;
  return 'callToken' in outcome && outcome.callToken !== token ? null : outcome.call;
}
