import { expect, test } from 'vitest';
import { Progress } from '../../../src/cli/display/progress.ts';
import type { EngineEvent } from '../../../src/engine/events.ts';
import { sampleModel, sampleTotals } from '../sample-run.ts';
import { ended, started } from './sample-events.ts';

test('counts follow the events', () => {
  const progress = new Progress();
  const retry: EngineEvent = {
    kind: 'step.retry',
    runId: 'r-8kq2aaaa',
    jobId: 'b',
    label: 'b',
    failure: { class: 'transient', reason: 'timeout', message: '' },
    atMs: 0,
  };
  const events = [
    started({ jobs: 5 }),
    start('a'),
    start('b'),
    start('b'),
    ended({ jobId: 'a' }),
    retry,
    ended({ jobId: 'hit', verdict: 'fail' }),
  ];
  for (const event of events) progress.onEvent(event);
  expect(progress.counts).toEqual({ total: 5, done: 2, pass: 1, fail: 1, review: 0, dlq: 0, running: 0 });
});

test("the store's numbers replace the counted ones, and later events come on top", () => {
  const progress = new Progress();
  progress.onEvent(started({ jobs: 40 }));
  progress.onEvent(ended({ verdict: 'error' }));
  progress.onTotals(sampleTotals(), 0);
  progress.onEvent(ended({ verdict: 'review' }));
  progress.onEvent(ended({ state: 'cancelled', verdict: 'error' }));
  expect(progress.counts).toEqual({ total: 40, done: 30, pass: 20, fail: 5, review: 2, dlq: 2, running: 2 });
});

test('what ended is in the totals already where the store told them first: no more jobs are done than there are', () => {
  const progress = new Progress();
  const jobs = { total: 2, queued: 0, running: 0, succeeded: 2, failed: 0, cancelled: 0 };
  const byModel = [sampleModel({ model: 'fast', total: 2, queued: 0, running: 0, pass: 2, fail: 0, review: 0, error: 0 })];
  progress.onEvent(started({ jobs: 2 }));
  progress.onEvent(start('b'));
  progress.onTotals(sampleTotals({ jobs, byModel }), 0);
  progress.onEvent(ended({ jobId: 'b', label: 'd:t:fast#2' }));
  expect(progress.counts).toEqual({ total: 2, done: 2, pass: 2, fail: 0, review: 0, dlq: 0, running: 0 });
  expect(progress.models).toEqual(byModel);
});

test('between two looks at the store the models follow the events too, so that they add up to the whole', () => {
  const progress = new Progress();
  const model = { queued: 2, running: 0, pass: 0, fail: 0, review: 0, error: 0, cached: 0, total: 2 };
  const byModel = [sampleModel({ ...model, model: 'slow' }), sampleModel({ ...model, model: 'fast' })];
  const jobs = { total: 4, queued: 4, running: 0, succeeded: 0, failed: 0, cancelled: 0 };
  progress.onEvent(started({ jobs: 4 }));
  progress.onTotals(sampleTotals({ jobs, byModel }), 0);
  progress.onEvent({ kind: 'job.started', runId: 'r-8kq2aaaa', jobId: 'a', label: 'd:t:slow#1' });
  progress.onEvent({ kind: 'job.started', runId: 'r-8kq2aaaa', jobId: 'b', label: 'd:t:fast#2' });
  progress.onEvent(ended({ jobId: 'b', label: 'd:t:fast#2', verdict: 'fail' }));
  progress.onEvent(ended({ jobId: 'c', label: 'd:t:fast', cached: true }));
  expect(progress.models).toEqual([
    { ...byModel[0], queued: 1, running: 1 },
    { ...byModel[1], queued: 0, fail: 1, pass: 1, cached: 1 },
  ]);
  expect(progress.counts).toEqual({ total: 4, done: 2, pass: 1, fail: 1, review: 0, dlq: 0, running: 1 });
});

function start(jobId: string): EngineEvent {
  return { kind: 'job.started', runId: 'r-8kq2aaaa', jobId, label: jobId };
}
