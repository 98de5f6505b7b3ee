import { expect, test } from 'vitest';
import { Progress } from '../../../src/cli/display/progress.ts';
import type { EngineEvent } from '../../../src/engine/events.ts';
import { sampleTotals } from '../sample-run.ts';
import { ended, started } from './sample-events.ts';

test('counts follow the events', () => {
  const progress = new Progress();
  const retry: EngineEvent = {
    kind: 'step.retry',
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

function start(jobId: string): EngineEvent {
  return { kind: 'job.started', jobId, label: jobId };
}
