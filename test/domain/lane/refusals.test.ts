import { describe, expect, it } from 'vitest';
import { afterAnswered, afterRefusal, NO_REFUSALS, type RefusalState } from '../../../src/domain/lane/refusals.ts';

const NOW = 100_000;

function refused(state: Partial<RefusalState> = {}, call: { grantedAtMs?: number; retryAfterMs?: number | null; random?: number } = {}) {
  return afterRefusal({ ...NO_REFUSALS, ...state }, { grantedAtMs: NOW - 50, nowMs: NOW, retryAfterMs: null, random: 0, ...call });
}

describe('afterRefusal', () => {
  it('rests a lane for 1 to 2 s at first, twice as long each time, and for 30 to 60 s at most', () => {
    const rests = (random: number) => [0, 1, 2, 5, 40].map((count) => refused({ count }, { random }).restUntilMs - NOW);
    expect(rests(0)).toEqual([1000, 2000, 4000, 30_000, 30_000]);
    expect(rests(0.5)).toEqual([1500, 3000, 6000, 45_000, 45_000]);
  });

  it('rests at first for as long as the server says, up to a tenth more, and no less later', () => {
    expect([0, 0.5].map((random) => refused({}, { retryAfterMs: 200, random }).restUntilMs - NOW)).toEqual([200, 210]);
    expect([200, 9000].map((retryAfterMs) => refused({ count: 1 }, { retryAfterMs }).restUntilMs - NOW)).toEqual([2000, 9000]);
    expect(refused({}, { retryAfterMs: 0.2 }).restUntilMs).toBe(NOW + 1);
  });

  it('counts calls that were in flight together as one episode, whose rest is drawn once', () => {
    const first = refused();
    const second = afterRefusal(first, { grantedAtMs: NOW - 10, nowMs: NOW + 20, retryAfterMs: null, random: 0.9 });
    expect(second).toEqual({ count: 1, episodeAtMs: NOW, lastAtMs: NOW + 20, restUntilMs: NOW + 1000 });
    expect(afterRefusal(first, { grantedAtMs: NOW - 10, nowMs: NOW + 20, retryAfterMs: 5000, random: 0 }).restUntilMs).toBe(NOW + 5020);
  });

  it('does not let an episode go on by calls that were granted within it', () => {
    const state = { count: 1, episodeAtMs: NOW - 100, lastAtMs: NOW - 10, restUntilMs: NOW - 50 };
    expect(refused(state, { grantedAtMs: NOW - 40 })).toMatchObject({ count: 1, lastAtMs: NOW - 10 });
    expect(refused(state, { grantedAtMs: NOW - 5 })).toMatchObject({ count: 2, episodeAtMs: NOW, lastAtMs: NOW });
  });

  it('begins anew when the clock was set back', () => {
    expect(refused({ count: 1, lastAtMs: NOW + 9_000_000, restUntilMs: NOW + 9_000_000 })).toMatchObject({ count: 2, lastAtMs: NOW });
  });
});

describe('afterAnswered', () => {
  it('forgets the refusals only for a call that was granted after them', () => {
    const state = refused();
    expect(afterAnswered(state, NOW)).toEqual(state);
    expect(afterAnswered(state, NOW + 1).count).toBe(0);
  });
});
