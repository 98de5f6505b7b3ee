import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Desired, desiredWorkers, type Load, type ScaleWish } from '../../src/domain/scale.ts';

const MINUTE_MS = 60_000;
const WISH: ScaleWish = { targetMs: 10 * MINUTE_MS, min: 0, max: 10 };
/** One worker does 8 jobs a minute: 80 in the time that is wished for. */
const LOAD: Load = { queued: 0, running: 0, jobMs: MINUTE_MS, workersAlive: 0, workersHolding: 0, concurrency: 8, mostRunning: null };

type Case = readonly [fact: string, load: Partial<Load>, desired: Desired, wish?: Partial<ScaleWish>];

const CASES: readonly Case[] = [
  ['nothing open needs nobody', { workersAlive: 3 }, { workers: 0, why: 'idle' }],
  ['nothing open needs the least that is wished', { workersAlive: 3 }, { workers: 1, why: 'idle' }, { min: 1 }],
  ['the first job needs one worker, which measures', { queued: 500, jobMs: null }, { workers: 1, why: 'unmeasured' }],
  ['unmeasured work keeps who is there', { queued: 500, jobMs: null, workersAlive: 3 }, { workers: 3, why: 'unmeasured' }],
  ['80 jobs are one worker', { queued: 80 }, { workers: 1, why: 'up' }],
  ['81 jobs are two', { queued: 81 }, { workers: 2, why: 'up' }],
  ['running jobs count', { queued: 73, running: 8, workersAlive: 0 }, { workers: 2, why: 'up' }],
  ['a tenth more than one can do leaves it alone', { queued: 88, workersAlive: 1 }, { workers: 1, why: 'steady' }],
  ['more than that brings a second', { queued: 89, workersAlive: 1 }, { workers: 2, why: 'up' }],
  ['work for three quarters of four keeps them', { queued: 240, workersAlive: 4 }, { workers: 4, why: 'steady' }],
  ['work for less than 70 % of four lets one go', { queued: 220, workersAlive: 4 }, { workers: 3, why: 'down' }],
  ['a short target needs more', { queued: 80 }, { workers: 5, why: 'up' }, { targetMs: 2 * MINUTE_MS }],
  ['the most that is wished is a bound', { queued: 5000 }, { workers: 10, why: 'up' }],
  ['who holds work is above that bound', { queued: 5000, workersAlive: 12, workersHolding: 12 }, { workers: 12, why: 'holding' }],
  ['who holds work stays when little is left', { running: 3, workersAlive: 3, workersHolding: 3 }, { workers: 3, why: 'holding' }],
  ['8 jobs are no work for two, however long they take', { queued: 8, jobMs: 60 * MINUTE_MS }, { workers: 1, why: 'up' }],
  ['limits that let 8 run make a second worker useless', { queued: 5000, mostRunning: 8 }, { workers: 1, why: 'up' }],
  ['who is useless goes', { queued: 5000, mostRunning: 8, workersAlive: 4 }, { workers: 1, why: 'down' }],
];

const NAMED = CASES.map(([fact, load, desired, wish]) => ({ fact, load, desired, wish }));

test.each(NAMED)('$fact', ({ load, desired, wish }) => {
  expect(desiredWorkers({ ...LOAD, ...load }, { ...WISH, ...wish })).toEqual(desired);
});

describe('whatever the load', () => {
  const count = fc.nat(5000);
  const loads: fc.Arbitrary<Load> = fc
    .record({
      queued: count,
      running: count,
      jobMs: fc.option(fc.integer({ min: 1, max: 3_600_000 })),
      workersAlive: fc.nat(40),
      holding: fc.nat(40),
      concurrency: fc.integer({ min: 1, max: 64 }),
      mostRunning: fc.option(fc.integer({ min: 1, max: 500 })),
    })
    .map(({ holding, ...load }) => ({ ...load, workersHolding: Math.min(holding, load.workersAlive) }));
  const wishes: fc.Arbitrary<ScaleWish> = fc
    .record({ targetMs: fc.integer({ min: 1000, max: 86_400_000 }), min: fc.nat(5), more: fc.nat(40) })
    .map(({ targetMs, min, more }) => ({ targetMs, min, max: Math.max(1, min + more) }));

  test('it is a whole number within the bounds, but never below who holds work', () => {
    fc.assert(
      fc.property(loads, wishes, (load, wish) => {
        const { workers } = desiredWorkers(load, wish);
        expect(Number.isSafeInteger(workers)).toBe(true);
        expect(workers).toBeGreaterThanOrEqual(Math.max(wish.min, load.workersHolding));
        expect(workers).toBeLessThanOrEqual(Math.max(wish.max, load.workersHolding));
      }),
    );
  });

  test('once the advice is followed it does not change', () => {
    fc.assert(
      fc.property(loads, wishes, (load, wish) => {
        const { workers } = desiredWorkers(load, wish);
        expect(desiredWorkers({ ...load, workersAlive: workers }, wish).workers).toBe(workers);
      }),
    );
  });

  test('a load that trembles by 4 % brings nobody and sends nobody away twice', () => {
    fc.assert(
      fc.property(loads, wishes, fc.array(fc.double({ min: 0.96, max: 1.04, noNaN: true }), { maxLength: 20 }), (load, wish, shakes) => {
        const seen = new Set<number>();
        let { workers } = desiredWorkers({ ...load, queued: load.queued + 500 }, wish);
        for (const shake of shakes) {
          const queued = Math.round((load.queued + 500) * shake);
          const next = desiredWorkers({ ...load, queued, workersAlive: workers }, wish).workers;
          if (next !== workers) {
            expect(seen.has(next)).toBe(false);
            seen.add(workers);
          }
          workers = next;
        }
      }),
    );
  });

  test('more queued jobs never need fewer workers', () => {
    fc.assert(
      fc.property(loads, wishes, count, (load, wish, more) => {
        const before = desiredWorkers(load, wish).workers;
        expect(desiredWorkers({ ...load, queued: load.queued + more }, wish).workers).toBeGreaterThanOrEqual(before);
      }),
    );
  });
});
