import type { Failure } from './reason.ts';

export type RetryLimits = {
  readonly attempts: number;
  readonly lostLeases: number;
  /** Nobody waits longer for a provider: it is paused, and its time named. */
  readonly maxWaitMs: number;
};

export type RetryDecision = { readonly kind: 'retry'; readonly notBeforeMs: number } | { readonly kind: 'final' };

const CONFLICT = 409;
const BACKOFF_BASE_MS = 1000;
const BACKOFF_CAP_MS = 60_000;

/** Greatest `maxWaitMs`: a provider that asks for more is paused, however patient its user is. */
export const LONGEST_MAX_WAIT_MS = 10 * 60_000;

/** No stored time lies further ahead: one that does was written before the clock was set back, and counts as past. */
export const LONGEST_WAIT_MS = LONGEST_MAX_WAIT_MS + BACKOFF_CAP_MS;

/**
 * Pause before attempt `attempts + 1`: full jitter over min(60 s, 1 s × 2^attempts), so after 1, 2, 3 attempts at most 2, 4,
 * 8 s. `random` is in [0, 1).
 */
export function backoffMs(attempts: number, random: number): number {
  return Math.round(random * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** attempts));
}

/** The server wants fewer calls. A call that we stopped ourselves goes back the same way, but nobody has to wait for it. */
export function isRateLimit(failure: Failure): boolean {
  return failure.class === 'rate' && failure.reason !== 'cancelled';
}

/**
 * What follows a failure. `attempts` counts the tries of this (run, key) that were sent, `waits` its rate limits since its last
 * success, this failure included in both. A server's Retry-After is the earliest time, the jitter comes on top.
 */
export function afterFailure(input: {
  readonly failure: Failure;
  readonly attempts: number;
  readonly waits: number;
  readonly limits: RetryLimits;
  readonly nowMs: number;
  readonly random: number;
}): RetryDecision {
  const { failure, attempts, waits, limits, nowMs, random } = input;
  if (failure.class === 'permanent' || failure.class === 'quality') return { kind: 'final' };
  if (failure.class === 'transient' && attempts >= attemptsFor(failure, limits)) return { kind: 'final' };
  const tries = isRateLimit(failure) ? waits : attempts;
  return { kind: 'retry', notBeforeMs: Math.ceil(nowMs + (failure.retryAfterMs ?? 0)) + backoffMs(Math.max(1, tries), random) };
}

/** A conflict that is there a second time stays. */
function attemptsFor({ status }: Failure, { attempts }: RetryLimits): number {
  return status === CONFLICT ? Math.min(2, attempts) : attempts;
}
