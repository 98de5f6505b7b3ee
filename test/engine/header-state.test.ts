import { expect, test } from 'vitest';
import { headerState } from '../../src/engine/header-state.ts';
import { SAMPLE_USE, STARTED_MS, sampleModel, sampleTotals } from '../cli/sample-run.ts';

test("the header tells speeds, the bounds that are the run's own, and what stopped it: not what only other work holds up", () => {
  const pause = { why: 'lane_paused', laneId: 'l', lane: 'lab', count: 3, untilMs: STARTED_MS, message: 'slow down' } as const;
  const slot = { why: 'lane_concurrency', laneId: 'l', lane: 'lab', count: 3, untilMs: null, message: null } as const;
  const tags = { why: 'tags', laneId: null, count: 2, untilMs: null, message: null, tags: ['gpu'] } as const;
  const byModel = [sampleModel({ firstTokenMs: 840, tokensPerSecond: 63.4 })];
  expect(headerState(sampleTotals({ byModel, budget: SAMPLE_USE, waiting: [pause, slot, tags] }))).toEqual({
    speeds: { fast: { firstTokenMs: 840, tokensPerSecond: 63.4 } },
    budget: { usd: { limit: 3, used: 0.74 }, tokens: { limit: 5_000_000, used: 2_225_000 } },
    stoppedBy: [
      { why: 'lane_paused', lane: 'lab', count: 3, until: new Date(STARTED_MS).toISOString(), message: 'slow down' },
      { why: 'tags', lane: null, count: 2, until: null, message: null, tags: ['gpu'] },
    ],
  });
});

test('without a budget and without a stop there is nothing of either', () => {
  expect(Object.keys(headerState(sampleTotals({ waiting: [] })))).toEqual(['speeds']);
});
