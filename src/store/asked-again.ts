import type { StepKind, StepState } from '../domain/step.ts';

type Ended = { readonly kind: StepKind; readonly key: string | null; readonly state: StepState; readonly outcome: string | null };

/**
 * Which steps of a failed job are asked again, in their order: what it lost. A reduce only when all that it was made of stands: then it is
 * the last one. Those of earlier rounds are history.
 */
export function askedAgain<Step extends Ended>(steps: readonly Step[]): readonly Step[] {
  const lost = steps.filter((step) => isAskedAgain(step, steps));
  const others = lost.filter(({ kind }) => kind !== 'reduce');
  return others.length > 0 ? others : lost.slice(-1);
}

/** A re-ask that failed is history: the step that it was to mend is asked afresh in its place. */
function isAskedAgain(step: Ended, steps: readonly Ended[]): boolean {
  if (step.kind === 'reask') return false;
  if (isLost(step)) return true;
  const lastReask = steps.findLast((other) => other.kind === 'reask' && other.key === step.key);
  return step.outcome === 'superseded' && lastReask !== undefined && isLost(lastReask);
}

/** It gave no answer. */
export function isLost({ state }: Pick<Ended, 'state'>): boolean {
  return state === 'failed' || state === 'cancelled';
}
