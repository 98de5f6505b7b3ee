import { expect, test } from 'vitest';
import { AllProgress } from '../../../src/cli/display/all-progress.ts';
import { sampleTotals } from '../sample-run.ts';
import { ended, numbers, started } from './sample-events.ts';

test('several runs at once are shown as one, each with the events of its own', () => {
  const all = new AllProgress();
  all.onEvent(started({ runId: 'r-1', jobs: 40 }));
  all.onEvent(started({ runId: 'r-2', jobs: 10 }));
  all.onTotals([...numbers({}, 'r-1'), ...numbers({}, 'r-2')], 0);
  all.onEvent(ended({ runId: 'r-2', verdict: 'fail' }));
  expect(all.standing.counts).toEqual({ total: 80, done: 57, pass: 40, fail: 11, review: 2, dlq: 4, running: 4 });
  expect(all.runs.get('r-1')?.counts).toMatchObject({ total: 40, done: 28 });
  expect(all.standing.totals?.cost.spentNanoUsd).toBe(2 * (sampleTotals().cost.spentNanoUsd ?? 0));
  expect(all.standing.models[0]).toMatchObject({
    model: sampleTotals().byModel[0]?.model,
    total: 2 * (sampleTotals().byModel[0]?.total ?? 0),
  });
});

test('a run that is over, or of which no numbers are told any more, counts no longer; one that has just begun does', () => {
  const all = new AllProgress();
  for (const runId of ['r-1', 'r-2']) all.onEvent(started({ runId }));
  all.onTotals([...numbers({}, 'r-1'), ...numbers({}, 'r-2')], 0);
  all.end('r-1');
  all.onEvent(started({ runId: 'r-3' }));
  all.onTotals(numbers({}, 'r-1'), 0);
  expect([...all.runs.keys()]).toEqual(['r-3']);
});

test('a run that is opened once more begins at nothing', () => {
  const all = new AllProgress();
  all.onEvent(started({ jobs: 40 }));
  all.onTotals(numbers(), 0);
  all.onEvent(started({ jobs: 40 }));
  all.onTotals([], 0);
  expect(all.standing.counts).toEqual({ total: 40, done: 0, pass: 0, fail: 0, review: 0, dlq: 0, running: 0 });
});
