import type { Failure } from './reason.ts';

export type RetryLimits = { readonly attempts: number; readonly lostLeases: number };

export type RetryDecision = { readonly kind: 'retry'; readonly notBeforeMs: number } | { readonly kind: 'final' };

const BACKOFF_BASE_MS = 1000;
const BACKOFF_CAP_MS = 60_000;

/**
 * Pause before attempt `attempts + 1`: full jitter over min(60 s, 1 s × 2^attempts), so after 1, 2, 3 attempts at most 2, 4,
 * 8 s. `random` is in [0, 1).
 */
export function backoffMs(attempts: number, random: number): number {
  return Math.round(random * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** attempts));
}

/**
 * What follows a failure. `attempts` counts the tries of this (run, key) that were sent, this one included. A server's
 * Retry-After is the earliest time, the jitter comes on top.
 */
export function afterFailure(input: {
  readonly failure: Failure;
  readonly attempts: number;
  readonly limits: RetryLimits;
  readonly nowMs: number;
  readonly random: number;
}): RetryDecision {
  const { failure, attempts, limits, nowMs, random } = input;
  if (failure.class === 'permanent' || failure.class === 'quality') return { kind: 'final' };
  if (failure.class === 'transient' && attempts >= limits.attempts) return { kind: 'final' };
  return { kind: 'retry', notBeforeMs: Math.ceil(nowMs + (failure.retryAfterMs ?? 0)) + backoffMs(Math.max(1, attempts), random) };
}
