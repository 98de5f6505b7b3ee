import { describe, expect, it } from 'vitest';
import type { Failure } from '../../src/domain/reason.ts';
import { afterFailure, backoffMs, isRateLimit } from '../../src/domain/retry.ts';

const LIMITS = { attempts: 3, lostLeases: 3, maxWaitMs: 120_000 };

function decide(failure: Partial<Failure>, attempts = 1, random = 0.5, waits = 1) {
  const base: Failure = { class: 'transient', reason: 'timeout', message: 'late' };
  return afterFailure({ failure: { ...base, ...failure }, attempts, waits, limits: LIMITS, nowMs: 10_000, random });
}

describe('backoffMs', () => {
  it('spreads over at most 2, 4, 8 s after the first tries and never over more than a minute', () => {
    expect([1, 2, 3, 6, 40].map((attempts) => backoffMs(attempts, 1))).toEqual([2000, 4000, 8000, 60_000, 60_000]);
    expect(backoffMs(3, 0)).toBe(0);
    expect(backoffMs(1, 0.25)).toBe(500);
  });
});

describe('afterFailure', () => {
  it('tries a transient failure again until its attempts are used up', () => {
    expect([1, 2, 3].map((attempts) => decide({}, attempts).kind)).toEqual(['retry', 'retry', 'final']);
  });

  it('tries a conflict once more, whatever the attempts', () => {
    expect([1, 2].map((attempts) => decide({ reason: 'server_error', status: 409 }, attempts).kind)).toEqual(['retry', 'final']);
  });

  it('never tries a permanent or a quality failure again', () => {
    expect([decide({ class: 'permanent' }), decide({ class: 'quality' })]).toEqual([{ kind: 'final' }, { kind: 'final' }]);
  });

  it('tries a rate limit again however often', () => {
    expect(decide({ class: 'rate', retryAfterMs: 3000 }, 50, 0)).toEqual({ kind: 'retry', notBeforeMs: 13_000 });
  });

  it('puts the jitter on top of what the server asked for', () => {
    expect(decide({ retryAfterMs: 3000 }, 1, 0.5)).toEqual({ kind: 'retry', notBeforeMs: 10_000 + 3000 + 1000 });
  });

  it('spreads also what was never sent', () => {
    expect(decide({ class: 'rate' }, 0, 0.5)).toEqual({ kind: 'retry', notBeforeMs: 11_000 });
  });

  it('waits longer from rate limit to rate limit, however few attempts were counted', () => {
    const waited = [1, 2, 3, 6, 40].map((waits) => decide({ class: 'rate' }, 0, 1, waits));
    expect(waited).toEqual([12_000, 14_000, 18_000, 70_000, 70_000].map((notBeforeMs) => ({ kind: 'retry', notBeforeMs })));
  });

  it('never waits less than a rate limit asked for', () => {
    expect(decide({ class: 'rate', retryAfterMs: 90_000 }, 0, 0, 3)).toEqual({ kind: 'retry', notBeforeMs: 100_000 });
  });

  it('does not make a call wait that was stopped, which is no rate limit', () => {
    expect(decide({ class: 'rate', reason: 'cancelled' }, 0, 0.5, 9)).toEqual({ kind: 'retry', notBeforeMs: 11_000 });
    expect(isRateLimit({ class: 'rate', reason: 'cancelled', message: 'stopped' })).toBe(false);
    expect(isRateLimit({ class: 'rate', reason: 'rate_limited', message: 'slow down' })).toBe(true);
  });

  it('names whole milliseconds, never earlier than asked', () => {
    expect(decide({ retryAfterMs: 0.2 }, 1, 0)).toEqual({ kind: 'retry', notBeforeMs: 10_001 });
  });
});
