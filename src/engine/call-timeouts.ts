import type { CallTimeouts } from '../domain/completion.ts';
import type { Reason } from '../domain/reason.ts';

/** A question that was too slow once is given twice the time: asked in the same way it would be paid for and lost again. */
const FACTOR = 2;

/** The timers of the next try; never longer than the step itself may take, unless the model states so. */
export function callTimeouts(timeouts: CallTimeouts, lastFailure: Reason | null, limitMs: number): CallTimeouts {
  if (lastFailure !== 'timeout') return timeouts;
  const { firstTokenMs, totalMs } = timeouts;
  return { ...timeouts, firstTokenMs: longer(firstTokenMs, limitMs), totalMs: longer(totalMs, limitMs) };
}

function longer(timeoutMs: number, limitMs: number): number {
  return Math.max(timeoutMs, Math.min(FACTOR * timeoutMs, limitMs));
}
