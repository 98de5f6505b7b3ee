import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admit, admitAny, type Candidate, type Totals } from '../../src/domain/admit.ts';
import type { BudgetUse } from '../../src/domain/budget.ts';
import type { LaneLimits, LaneState } from '../../src/domain/lane/lane.ts';
import { NEW_PACE } from '../../src/domain/lane/pace.ts';

const NOW = 1_800_000_000_000;
const LIMITS: LaneLimits = { concurrency: 2, requestsPerMinute: null, tokensPerMinute: null, tokenAccounting: 'reserved', adaptive: true };
const LANE: LaneState = { id: 'lane', running: 0, limits: LIMITS, pause: null, pace: NEW_PACE };
const TOTALS: Totals = { runRunning: 0, runConcurrency: null, storeRunning: 0, storeMaximum: null, failedEnough: false, budget: null };
const CANDIDATE: Candidate = { tokens: 1000, worst: { nanoUsd: 50, tokens: 1000 } };
const BUDGET: BudgetUse = {
  budget: { nanoUsd: 100, tokens: null, activeMs: null, warnAt: 0.8, group: null },
  nanoUsd: 0,
  tokens: 0,
  activeMs: 0,
  groupNanoUsd: 0,
  inFlight: false,
};
const REST = { ...NEW_PACE, refusals: { ...NEW_PACE.refusals, count: 1, restUntilMs: NOW + 5000 } };
const EMPTY = { ...NEW_PACE, tokens: { ...NEW_PACE.tokens, level: 0, atMs: NOW } };

function decide(lane: Partial<LaneState> = {}, totals: Partial<Totals> = {}) {
  return admit(NOW, CANDIDATE, { ...LANE, ...lane }, { ...TOTALS, ...totals });
}

describe('admit', () => {
  it('grants what nothing forbids', () => {
    expect(decide()).toEqual({ kind: 'grant' });
    const nearly = { runRunning: 4, runConcurrency: 5, storeRunning: 9, storeMaximum: 10, budget: { ...BUDGET, nanoUsd: 50 } };
    expect(decide({ running: 1 }, nearly)).toEqual({ kind: 'grant' });
  });

  it.each([
    ['a run of which enough jobs failed asks nothing more', decide({}, { failedEnough: true }), 'fail_fast', null],
    ['a refused lane waits for its time', decide({ pace: REST }), 'lane_cooldown', NOW + 5000],
    ['a spent budget waits for a person', decide({}, { budget: { ...BUDGET, nanoUsd: 51 } }), 'budget_usd', null],
    [
      'a budget with calls in flight is looked at again',
      decide({}, { budget: { ...BUDGET, nanoUsd: 51, inFlight: true } }),
      'budget_usd',
      NOW + 1000,
    ],
  ])('%s', (_, admission, blockedBy, untilMs) => {
    expect(admission).toEqual({ kind: 'blocked', blockedBy, untilMs });
  });

  it.each([
    ['a full lane waits for an end', decide({ running: 2 }), 'lane_concurrency', { taken: 2, of: 2, atMost: 2 }],
    ['a full run waits for an end', decide({}, { runRunning: 3, runConcurrency: 3 }), 'run_concurrency', { taken: 3, of: 3, atMost: 3 }],
    ['an overfull store, too', decide({}, { storeRunning: 8, storeMaximum: 7 }), 'store_maximum', { taken: 8, of: 7, atMost: 7 }],
  ])('%s, and says how many slots are taken', (_, admission, blockedBy, slots) => {
    expect(admission).toEqual({ kind: 'blocked', blockedBy, untilMs: null, slots });
  });

  it('does not wait for calls in flight when the time is up', () => {
    const budget: BudgetUse = { ...BUDGET, budget: { ...BUDGET.budget, activeMs: 60_000 }, activeMs: 60_000, inFlight: true };
    expect(decide({}, { budget })).toEqual({ kind: 'blocked', blockedBy: 'budget_minutes', untilMs: null });
  });

  it('waits for the tokens of the step before it asks whether they can be paid', () => {
    const lane = { pace: EMPTY, limits: { ...LIMITS, tokensPerMinute: 60_000 } };
    expect(decide(lane, { budget: { ...BUDGET, nanoUsd: 99 } })).toMatchObject({ blockedBy: 'lane_tokens' });
  });

  it('knows without the step whether the lane may send anything', () => {
    expect(admitAny(NOW, LANE, { ...TOTALS, budget: { ...BUDGET, nanoUsd: 1000 } })).toEqual({ kind: 'grant' });
    expect(admitAny(NOW, { ...LANE, running: 2 }, TOTALS)).toMatchObject({ blockedBy: 'lane_concurrency' });
  });

  it('names what a person must mend before what time mends', () => {
    const pause = { reason: 'quota', message: 'no credit', untilMs: null } as const;
    expect(decide({ pause, pace: REST, running: 9 })).toMatchObject({ blockedBy: 'lane_paused' });
    expect(decide({ pace: REST, running: 9 })).toMatchObject({ blockedBy: 'lane_cooldown' });
  });

  it('grants again when a lowered limit is above what runs, not before', () => {
    expect(decide({ running: 5 })).toMatchObject({ blockedBy: 'lane_concurrency' });
    expect(decide({ running: 1 })).toEqual({ kind: 'grant' });
  });

  it('never grants above any bound', () => {
    const few = fc.integer({ min: 0, max: 6 });
    const bound = fc.option(fc.integer({ min: 1, max: 6 }), { nil: null });
    const facts = fc.record({
      running: few,
      concurrency: fc.integer({ min: 1, max: 6 }),
      runRunning: few,
      runConcurrency: bound,
      storeRunning: few,
      storeMaximum: bound,
    });
    fc.assert(
      fc.property(
        facts,
        fc.integer({ min: 0, max: 120 }),
        fc.option(fc.integer({ min: 0, max: 120 }), { nil: null }),
        (fact, used, worst) => {
          const lane: LaneState = { ...LANE, running: fact.running, limits: { ...LIMITS, concurrency: fact.concurrency } };
          const totals: Totals = { ...TOTALS, ...fact, budget: { ...BUDGET, nanoUsd: used } };
          const { kind } = admit(NOW, { tokens: 1, worst: { nanoUsd: worst, tokens: 1 } }, lane, totals);
          if (kind === 'blocked') return;
          expect(fact.running).toBeLessThan(fact.concurrency);
          expect(fact.runRunning).toBeLessThan(fact.runConcurrency ?? Number.POSITIVE_INFINITY);
          expect(fact.storeRunning).toBeLessThan(fact.storeMaximum ?? Number.POSITIVE_INFINITY);
          if (worst !== 0) expect(used + (worst ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(100);
        },
      ),
    );
  });
});
