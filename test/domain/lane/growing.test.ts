import { describe, expect, it } from 'vitest';
import type { LaneLimits } from '../../../src/domain/lane/lane.ts';
import { bucketServer, failingServer, refusal, roomyServer, slotServer, type Work } from './servers.ts';
import { type Outcome, seeded, simulate } from './simulation.ts';

const LIMITS: LaneLimits = {
  concurrency: 64,
  requestsPerMinute: null,
  tokensPerMinute: null,
  tokenAccounting: 'reserved',
  adaptive: true,
};
const LONG: Work = { outputTokens: 400, perSecond: 80, overheadMs: 300 };
const SHORT: Work = { outputTokens: 10, perSecond: 80, overheadMs: 600 };
const COMMON = { limits: LIMITS, claimers: 2, seed: 1 };

/** Answers of 10 to 400 tokens by two models, of which one is four times as fast. */
function mixed(seed: number): () => Work {
  const random = seeded(seed);
  return () => ({
    outputTokens: Math.round(10 * 40 ** random()),
    perSecond: random() < 0.5 ? 30 : 120,
    overheadMs: 200 + 800 * random(),
  });
}

function callsUntil({ sights }: Outcome, limit: number): number {
  const index = sights.findIndex((sight) => sight.limit >= limit);
  return index < 0 ? Number.POSITIVE_INFINITY : index;
}

function limitsAfter({ sights }: Outcome, calls: number): readonly number[] {
  return sights.slice(calls).map(({ limit }) => limit);
}

describe('a server with room for all', () => {
  it.each([1, 2, 3, 4])('soon gets all that is stated though answers differ in length and models in speed: seed %i', (seed) => {
    const outcome = simulate({ ...COMMON, server: roomyServer(mixed(seed)), calls: 1000, seed });
    expect(callsUntil(outcome, 64)).toBeLessThan(250);
    expect(outcome.sights.at(-1)?.limit).toBe(64);
  });

  it.each([8, 60, 100, 500])('soon gets all that is stated though answers grow shorter after %i of them', (calls) => {
    const outcome = simulate({ ...COMMON, server: roomyServer((call) => (call < calls ? LONG : SHORT)), calls: 1000 });
    expect(callsUntil(outcome, 64)).toBeLessThan(250);
    expect(outcome.sights.at(-1)?.limit).toBe(64);
  });

  it('is not held back by what a manifest with a lower limit has left behind', () => {
    const limits = { ...LIMITS, concurrency: 1 };
    const before = simulate({ ...COMMON, server: roomyServer(() => LONG), limits, calls: 100 });
    const outcome = simulate({ ...COMMON, server: roomyServer(() => SHORT), calls: 300, after: before });
    expect(callsUntil(outcome, 64)).toBeLessThan(100);
  });

  it('is found again by a lane whose server had few slots', () => {
    const few = simulate({ ...COMMON, server: slotServer(4, 50, seeded(1)), calls: 600 });
    const outcome = simulate({ ...COMMON, server: roomyServer(() => LONG), calls: 6000, after: few });
    expect([few.sights.at(-1)?.limit, outcome.sights.at(-1)?.limit]).toEqual([4, 64]);
  });
});

describe('server errors', () => {
  const work = { outputTokens: 50, perSecond: 125, overheadMs: 100 };
  const limits = { ...LIMITS, concurrency: 32 };

  it('do not stop growth while every twentieth call only fails', () => {
    const server = roomyServer(
      () => work,
      (call) => call % 20 === 0,
    );
    const outcome = simulate({ ...COMMON, server, limits, calls: 400 });
    expect([outcome.accepted, outcome.lost]).toEqual([400, 0]);
    expect(callsUntil(outcome, 32)).toBeLessThan(60);
  });

  it.each([1, 2, 3])('of one call in twenty, by chance, leave a lane as fast as its manifest allows: seed %i', (seed) => {
    const random = seeded(seed);
    const server = roomyServer(
      () => work,
      () => random() < 0.05,
    );
    const outcome = simulate({ ...COMMON, server, limits, calls: 2000, seed });
    expect(callsUntil(outcome, 32)).toBeLessThan(1000);
  });

  it('of every third call stop growth', () => {
    const server = roomyServer(
      () => work,
      (call) => call % 3 === 0,
    );
    expect(simulate({ ...COMMON, server, limits, calls: 400, attempts: 9 }).sights.at(-1)?.limit).toBeLessThan(10);
  });
});

describe('a local server with four slots', () => {
  it('is asked for four to eight calls at once on average, however its answers differ', () => {
    const limits = [1, 2, 3, 4, 5, 6].flatMap((seed) => {
      const server = slotServer(4, 50, seeded(seed), mixed(seed));
      return limitsAfter(simulate({ ...COMMON, server, calls: 3000, seed }), 750);
    });
    expect(Math.min(...limits)).toBe(4);
    expect(limits.reduce((sum, limit) => sum + limit, 0) / limits.length).toBeLessThan(8);
  });

  it('is asked for no more for hours when its answers are alike', () => {
    const outcome = simulate({ ...COMMON, server: slotServer(4, 50, seeded(1)), calls: 6000 });
    const limits = limitsAfter(outcome, 400);
    expect([Math.min(...limits), Math.max(...limits)]).toEqual([4, 5]);
  });
});

describe('headers that told a limit once', () => {
  it('are forgotten after a few answers that tell none', () => {
    const told = { requests: { limitPerMinute: 1, remaining: 1, resetMs: 1000 }, tokens: null };
    const { ask } = failingServer({ fromMs: 0, untilMs: 0 }, refusal(null), 500);
    let asked = 0;
    const server = {
      ask: (...call: Parameters<typeof ask>) => {
        const reply = ask(...call);
        return reply !== null && asked++ === 0 ? { ...reply, rates: told } : reply;
      },
    };
    const outcome = simulate({ ...COMMON, server, calls: 40 });
    expect([outcome.accepted, outcome.pause]).toEqual([40, null]);
    expect(outcome.elapsedMs).toBeLessThan(10_000);
  });

  it('hold while some of the answers still tell it', () => {
    const { ask } = bucketServer({ requestsPerMinute: 600, latencyMs: 50, headers: true });
    let asked = 0;
    const server = {
      ask: (...call: Parameters<typeof ask>) => {
        const reply = ask(...call);
        return reply !== null && asked++ % 3 !== 0 ? { ...reply, rates: { requests: null, tokens: null } } : reply;
      },
    };
    const outcome = simulate({ ...COMMON, server, calls: 400, limits: { ...LIMITS, concurrency: 1 } });
    expect([outcome.accepted, outcome.lane.pace.requests.told.perMinute]).toEqual([400, 600]);
  });
});
