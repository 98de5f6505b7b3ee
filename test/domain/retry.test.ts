import { describe, expect, it } from 'vitest';
import type { Failure } from '../../src/domain/reason.ts';
import { afterFailure, backoffMs } from '../../src/domain/retry.ts';

const LIMITS = { attempts: 3, lostLeases: 3 };

function decide(failure: Partial<Failure>, attempts = 1, random = 0.5) {
  const base: Failure = { class: 'transient', reason: 'timeout', message: 'late' };
  return afterFailure({ failure: { ...base, ...failure }, attempts, limits: LIMITS, nowMs: 10_000, random });
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

  it('names whole milliseconds, never earlier than asked', () => {
    expect(decide({ retryAfterMs: 0.2 }, 1, 0)).toEqual({ kind: 'retry', notBeforeMs: 10_001 });
  });
});
