import { describe, expect, it } from 'vitest';
import { isAbandoned } from '../../src/domain/lease.ts';

const HOUR_MS = 3_600_000;
const LEASE = { nowMs: 10 * HOUR_MS, expiresAtMs: 10 * HOUR_MS, ttlMs: 60_000, unchangedMs: 60_000 };

describe('a lease', () => {
  it('is abandoned when it ran out and nobody renewed it for its whole length', () => {
    expect(isAbandoned(LEASE)).toBe(true);
    expect(isAbandoned({ ...LEASE, expiresAtMs: LEASE.nowMs + 1 })).toBe(false);
    expect(isAbandoned({ ...LEASE, unchangedMs: 59_999 })).toBe(false);
  });

  it('that only the clock says has run out is not abandoned, however long ago', () => {
    expect(isAbandoned({ ...LEASE, expiresAtMs: LEASE.nowMs - 6 * HOUR_MS, unchangedMs: 15_000 })).toBe(false);
  });

  it('from before the clock was set back does not last until the clock comes there again', () => {
    const early = { ...LEASE, expiresAtMs: LEASE.nowMs + HOUR_MS };
    expect(isAbandoned(early)).toBe(true);
    expect(isAbandoned({ ...early, unchangedMs: 0 })).toBe(false);
    expect(isAbandoned({ ...LEASE, expiresAtMs: LEASE.nowMs + LEASE.ttlMs })).toBe(false);
  });
});
