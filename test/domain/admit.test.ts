import { describe, expect, it } from 'vitest';
import { admit, type LaneState, type Totals } from '../../src/domain/admit.ts';

const LANE: LaneState = { id: 'lane', running: 0, concurrency: 2, pausedReason: null, cooldownUntilMs: 0 };
const TOTALS: Totals = { runRunning: 0, runConcurrency: null, storeRunning: 0, storeMaximum: null };

function decide(lane: Partial<LaneState> = {}, totals: Partial<Totals> = {}) {
  return admit(1000, { ...LANE, ...lane }, { ...TOTALS, ...totals });
}

describe('admit', () => {
  it('grants what nothing forbids', () => {
    expect(decide()).toEqual({ kind: 'grant' });
    expect(decide({ running: 1, cooldownUntilMs: 1000 }, { runRunning: 4, runConcurrency: 5, storeRunning: 9, storeMaximum: 10 })).toEqual({
      kind: 'grant',
    });
  });

  it.each([
    ['a paused lane waits for a person', decide({ pausedReason: 'auth' }), 'lane_paused', null],
    ['a cooling lane waits for its time', decide({ cooldownUntilMs: 1001 }), 'lane_cooldown', 1001],
    ['a full lane waits for an end', decide({ running: 2 }), 'lane_concurrency', null],
    ['a full run waits for an end', decide({}, { runRunning: 3, runConcurrency: 3 }), 'run_concurrency', null],
    ['a full store waits for an end', decide({}, { storeRunning: 7, storeMaximum: 7 }), 'store_maximum', null],
  ])('%s', (_, admission, blockedBy, untilMs) => {
    expect(admission).toEqual({ kind: 'blocked', blockedBy, untilMs });
  });

  it('names what a person must mend before what time mends', () => {
    expect(decide({ pausedReason: 'quota', cooldownUntilMs: 5000, running: 9 })).toMatchObject({ blockedBy: 'lane_paused' });
    expect(decide({ cooldownUntilMs: 5000, running: 9 })).toMatchObject({ blockedBy: 'lane_cooldown' });
  });

  it('grants again when a lowered limit is above what runs, not before', () => {
    expect(decide({ running: 5, concurrency: 2 })).toMatchObject({ blockedBy: 'lane_concurrency' });
  });
});
