import type { Failure } from '../domain/reason.ts';

/** Tries of these classes are nobody's fault and use up no attempt. */
const UNCOUNTED: ReadonlySet<Failure['class']> = new Set(['rate', 'fatal', 'capability']);

export function usesUpAttempt(failure: Failure): boolean {
  return !UNCOUNTED.has(failure.class);
}
