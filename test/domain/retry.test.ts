import { describe, expect, it } from 'vitest';
import type { Failure } from '../../src/domain/reason.ts';
import { afterFailure, afterRateLimit, backoffMs, isRateLimit } from '../../src/domain/retry.ts';

const LIMITS = { attempts: 3, lostLeases: 3 };

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

describe('afterRateLimit', () => {
  const call = { askedAtMs: 10_000, nowMs: 11_000, retryAfterMs: 0, random: 0 };
  const refused = (rateFailures: number, rateFailedAtMs: number, random = 0) =>
    afterRateLimit({ rateFailures, rateFailedAtMs }, { ...call, random });

  it('rests a lane for 1 to 2 s at first, twice as long each time, and for 30 to 60 s at most', () => {
    expect([0, 1, 2, 5, 40].map((failures) => refused(failures, 9000).restMs)).toEqual([1000, 2000, 4000, 30_000, 30_000]);
    expect([0, 1, 40].map((failures) => refused(failures, 9000, 1).restMs)).toEqual([2000, 4000, 60_000]);
    expect(refused(1, 9000)).toEqual({ rateFailures: 2, rateFailedAtMs: 11_000, restMs: 2000 });
  });

  it('rests a lane for no less than the server asked', () => {
    const lane = { rateFailures: 0, rateFailedAtMs: 0 };
    expect([0.5, 5000.5].map((retryAfterMs) => afterRateLimit(lane, { ...call, retryAfterMs }).restMs)).toEqual([1000, 5001]);
  });

  it('counts calls that were in flight together as one refusal', () => {
    expect(refused(1, 10_500)).toEqual({ rateFailures: 1, rateFailedAtMs: 10_500, restMs: 1000 });
  });
});
