import type { Failure } from './reason.ts';

export type RetryLimits = { readonly attempts: number; readonly lostLeases: number };

export type RetryDecision = { readonly kind: 'retry'; readonly notBeforeMs: number } | { readonly kind: 'final' };

const BACKOFF_BASE_MS = 1000;
const BACKOFF_CAP_MS = 60_000;

/** A server that asks for a longer pause is left alone until a person acts. */
export const LONGEST_RETRY_AFTER_MS = 10 * 60_000;

/** No stored time lies further ahead: one that does was written before the clock was set back, and counts as past. */
export const LONGEST_WAIT_MS = LONGEST_RETRY_AFTER_MS + BACKOFF_CAP_MS;

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
  if (failure.class === 'transient' && attempts >= limits.attempts) return { kind: 'final' };
  const tries = isRateLimit(failure) ? waits : attempts;
  return { kind: 'retry', notBeforeMs: Math.ceil(nowMs + (failure.retryAfterMs ?? 0)) + backoffMs(Math.max(1, tries), random) };
}

/** How often a lane was refused in a row, and when it was last. */
export type LaneRefusals = { readonly rateFailures: number; readonly rateFailedAtMs: number };

/**
 * A lane after one more rate limit: nothing is sent there for min(60 s, 1 s × 2^failures), its second half by chance, so 1 to 2 s
 * after the first and 2 to 4 s after the second; never for less than the server's Retry-After. Calls in flight together are refused
 * together: one that was asked before the last refusal is part of it.
 */
export function afterRateLimit(
  lane: LaneRefusals,
  call: { readonly askedAtMs: number; readonly nowMs: number; readonly retryAfterMs: number; readonly random: number },
): LaneRefusals & { readonly restMs: number } {
  const { askedAtMs, nowMs, retryAfterMs, random } = call;
  const isNew = lane.rateFailures === 0 || askedAtMs > lane.rateFailedAtMs;
  const rateFailures = isNew ? lane.rateFailures + 1 : lane.rateFailures;
  const longestMs = backoffMs(rateFailures, 1);
  const restMs = Math.ceil(Math.max(retryAfterMs, (longestMs / 2) * (1 + random)));
  return { rateFailures, rateFailedAtMs: isNew ? nowMs : lane.rateFailedAtMs, restMs };
}
