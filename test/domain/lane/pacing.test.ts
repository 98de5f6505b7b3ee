import { describe, expect, it } from 'vitest';
import type { LaneLimits } from '../../../src/domain/lane/lane.ts';
import { bucketServer, crowdedServer, failingServer, refusal, slotServer } from './servers.ts';
import { afterWarmUp, type Outcome, seeded, simulate } from './simulation.ts';

const UNKNOWN: LaneLimits = {
  concurrency: 256,
  requestsPerMinute: null,
  tokensPerMinute: null,
  tokenAccounting: 'reserved',
  adaptive: true,
};
const OUTAGE = { class: 'transient', reason: 'connection', message: 'connection refused' } as const;
/** Every claimer count with every latency. */
const SETTINGS = [1, 4].flatMap((claimers) => [50, 2000].map((latencyMs) => ({ claimers, latencyMs })));

/** Share by which a run took longer than the server's limit demands. */
function over({ elapsedMs }: Outcome, units: number, perMinute: number, latencyMs: number): number {
  return elapsedMs / (((units - Math.max(1, perMinute / 60)) * 60_000) / perMinute + latencyMs) - 1;
}

describe('a strict server whose limits are stated', () => {
  it.each(SETTINGS)('never refuses a request, and is used to within 3 %: %j', ({ claimers, latencyMs }) => {
    for (const [requestsPerMinute, calls] of [
      [60, 300],
      [120, 400],
      [600, 1000],
      [3000, 3000],
    ] as const) {
      for (const seed of [1, 2]) {
        const limits = { ...UNKNOWN, requestsPerMinute };
        const outcome = simulate({ server: bucketServer({ requestsPerMinute, latencyMs }), limits, calls, claimers, seed });
        expect([requestsPerMinute, outcome.accepted, outcome.refused]).toEqual([requestsPerMinute, calls, 0]);
        expect(over(outcome, calls, requestsPerMinute, latencyMs)).toBeLessThan(0.03);
      }
    }
  });

  it.each(SETTINGS)('never refuses tokens though they are only estimated, and is used to within 3 %: %j', ({ claimers, latencyMs }) => {
    for (const [tokensPerMinute, calls] of [
      [90_000, 800],
      [1_000_000, 3000],
    ] as const) {
      for (const seed of [1, 2]) {
        const limits = { ...UNKNOWN, tokensPerMinute };
        const server = bucketServer({ tokensPerMinute, latencyMs });
        const outcome = simulate({ server, limits, calls, claimers, seed, estimateError: 0.1 });
        expect([tokensPerMinute, outcome.accepted, outcome.refused]).toEqual([tokensPerMinute, calls, 0]);
        expect(over(outcome, outcome.tokens, tokensPerMinute, latencyMs)).toBeLessThan(0.03);
      }
    }
  });
});

describe('a strict server that says nothing of its limits', () => {
  const settings = SETTINGS.flatMap((setting) => (['exact', 'none'] as const).map((retryAfter) => ({ ...setting, retryAfter })));

  it.each(settings)('soon refuses less than 2 % and is used to 90 %, by requests: %j', ({ claimers, latencyMs, retryAfter }) => {
    for (const [requestsPerMinute, calls] of [
      [60, 600],
      [120, 600],
      [600, 2000],
      [3000, 4000],
    ] as const) {
      const server = bucketServer({ requestsPerMinute, latencyMs, retryAfter });
      const outcome = simulate({ server, limits: UNKNOWN, calls, claimers, seed: 1 });
      const { refusedShare, perMinute } = afterWarmUp(outcome, 0.2, 60_000);
      expect([requestsPerMinute, outcome.accepted, outcome.pause]).toEqual([requestsPerMinute, calls, null]);
      expect(refusedShare).toBeLessThan(0.02);
      expect(perMinute / requestsPerMinute).toBeGreaterThan(0.9);
    }
  });

  it.each(settings)('soon refuses less than 2 % and is used to 90 %, by tokens: %j', ({ claimers, latencyMs, retryAfter }) => {
    for (const namesUnit of [true, false]) {
      for (const [tokensPerMinute, calls] of [
        [90_000, 800],
        [1_000_000, 4000],
      ] as const) {
        const server = bucketServer({ tokensPerMinute, latencyMs, retryAfter, namesUnit });
        const outcome = simulate({ server, limits: UNKNOWN, calls, claimers, seed: 1, estimateError: 0.1 });
        const { refusedShare, perMinute } = afterWarmUp(outcome, 0.2, 60_000);
        const allowed = tokensPerMinute / (outcome.tokens / (outcome.accepted + outcome.refused));
        expect([tokensPerMinute, outcome.accepted]).toEqual([tokensPerMinute, calls]);
        expect(refusedShare).toBeLessThan(0.02);
        expect(perMinute / allowed).toBeGreaterThan(0.9);
      }
    }
  });
});

describe('a server that says nothing of its limits, nor how long to wait', () => {
  it.each([2, 3, 4])('is used to 90 % though its rest was longer than it takes to fill its bucket: seed %i', (seed) => {
    const server = bucketServer({ tokensPerMinute: 1_000_000, latencyMs: 2000, retryAfter: 'none' });
    const outcome = simulate({ server, limits: UNKNOWN, calls: 5000, claimers: 1, seed, estimateError: 0.1 });
    const allowed = 1_000_000 / (outcome.tokens / (outcome.accepted + outcome.refused));
    expect(afterWarmUp(outcome, 0.2, 60_000).perMinute / allowed).toBeGreaterThan(0.9);
  });

  it.each([1, 2, 3])('is soon asked for its rate once the bucket of a whole minute is empty: seed %i', (seed) => {
    const server = bucketServer({ requestsPerMinute: 600, latencyMs: 50, burstS: 60, retryAfter: 'none' });
    const { sights, refused } = simulate({ server, limits: UNKNOWN, calls: 1500, claimers: 2, seed });
    expect(refused).toBeLessThan(500);
    const late = sights.filter(({ atMs }) => atMs > 40_000);
    expect(late.filter(({ kind }) => kind === 'refused').length / late.length).toBeLessThan(0.02);
  });
});

describe('a server that tells its limits in headers', () => {
  it.each(SETTINGS)('is never asked too much, and most of its minute at once: %j', ({ claimers, latencyMs }) => {
    const server = bucketServer({ requestsPerMinute: 600, latencyMs, burstS: 60, headers: true });
    const outcome = simulate({ server, limits: UNKNOWN, calls: 2000, claimers, seed: 1 });
    expect([outcome.accepted, outcome.refused]).toEqual([2000, 0]);
    expect(outcome.elapsedMs).toBeLessThan(1.1 * (2000 - 600) * 100 + latencyMs);
  });

  it.each(SETTINGS)('is never asked too much when it holds a second only: %j', ({ claimers, latencyMs }) => {
    const server = bucketServer({ requestsPerMinute: 600, latencyMs, headers: true });
    const outcome = simulate({ server, limits: { ...UNKNOWN, requestsPerMinute: 600 }, calls: 1000, claimers, seed: 1 });
    expect([outcome.accepted, outcome.refused]).toEqual([1000, 0]);
    expect(over(outcome, 1000, 600, latencyMs)).toBeLessThan(0.03);
  });
});

describe('a local server that never refuses', () => {
  it.each([1, 2, 3, 4, 5, 6])('is asked for as many calls at once as it has slots, or a few more: seed %i', (seed) => {
    const server = slotServer(4, 50, seeded(seed));
    const { sights } = simulate({ server, limits: { ...UNKNOWN, concurrency: 64 }, calls: 1500, claimers: 2, seed });
    const limits = sights.slice(sights.length / 2).map(({ limit }) => limit);
    expect(Math.min(...limits)).toBeGreaterThanOrEqual(4);
    expect(Math.max(...limits)).toBeLessThanOrEqual(6);
  });

  it('gets all that is stated when it has room for it', () => {
    const server = slotServer(100, 50, seeded(1));
    const { sights } = simulate({ server, limits: { ...UNKNOWN, concurrency: 64 }, calls: 1500, claimers: 2, seed: 1 });
    expect(sights.at(-1)?.limit).toBe(64);
    expect(sights.findIndex(({ limit }) => limit === 64)).toBeLessThan(250);
  });
});

describe('a server that refuses more calls at once', () => {
  it('is soon asked for what it takes', () => {
    const outcome = simulate({
      server: crowdedServer(10, 2000),
      limits: { ...UNKNOWN, concurrency: 64 },
      calls: 2000,
      claimers: 2,
      seed: 1,
    });
    const { refusedShare, perMinute } = afterWarmUp(outcome, 0.2, 60_000);
    expect(refusedShare).toBeLessThan(0.05);
    expect(perMinute).toBeGreaterThan(0.75 * 10 * 30);
    expect(outcome.lane.pace.requests.found).toBeNull();
  });
});

describe('an outage', () => {
  it.each([4, 64])('of a minute uses up the attempts of no question, at %i calls at once', (concurrency) => {
    const server = failingServer({ fromMs: 3000, untilMs: 63_000 }, OUTAGE, 1000);
    const outcome = simulate({ server, limits: { ...UNKNOWN, concurrency }, calls: 100, claimers: 2, seed: 1 });
    expect([outcome.accepted, outcome.lost, outcome.pause]).toEqual([100, 0, null]);
    expect(outcome.sights.filter(({ kind }) => kind === 'failed').length).toBeLessThan(concurrency + 15);
  });

  it('without an end pauses the lane, and no question is lost', () => {
    const server = failingServer({ fromMs: 0, untilMs: Number.POSITIVE_INFINITY }, OUTAGE, 1000);
    const { accepted, lost, pause, sights } = simulate({ server, limits: UNKNOWN, calls: 100, claimers: 2, seed: 1, untilMs: 300_000 });
    expect([accepted, lost, pause?.reason]).toEqual([0, 0, 'connection']);
    expect(sights.length).toBeLessThan(20);
  });
});

describe('a server that refuses everything', () => {
  it('is asked less and less, and more and more once it accepts again', () => {
    const server = failingServer({ fromMs: 10_000, untilMs: 100_000 }, refusal(null), 500);
    const outcome = simulate({ server, limits: { ...UNKNOWN, concurrency: 32 }, calls: 8000, claimers: 2, seed: 1 });
    const refusals = outcome.sights.filter(({ kind, atMs }) => kind === 'refused' && atMs > 12_000);
    expect(refusals.length).toBeLessThan(30);
    expect(refusals.at(-1)?.running).toBeLessThan(3);
    expect([outcome.accepted, outcome.pause]).toEqual([8000, null]);
    const { perMinute } = afterWarmUp(outcome, 0.9, Number.POSITIVE_INFINITY);
    expect(perMinute).toBeGreaterThan(0.5 * 32 * 120);
  });
});
