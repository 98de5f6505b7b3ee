import { expect, test } from 'vitest';
import { waitLines } from '../../../src/cli/show/show-waiting.ts';
import type { JobRecord, StepRow } from '../../../src/store/rows.ts';
import { MANIFEST, STARTED_MS, sampleJob, sampleRun } from '../sample-run.ts';

const STEP: StepRow = {
  ...{ stepId: 1, kind: 'answer', index: 0, key: null, state: 'queued', outcome: null, runAtMs: STARTED_MS + 180_000, callToken: null },
  ...{ leaseOwner: null, leaseExpiresAtMs: null, keyRecord: null, part: null, prompt: null, paidBy: null },
};
const FAILURE = { class: 'transient', reason: 'timeout', message: 'no answer in 120 s' } as const;
const TRY = { stepId: 1, number: 1, callToken: null, outcome: 'failed', failure: FAILURE, startedAtMs: 0, endedAtMs: 0 } as const;
const QUEUED: JobRecord = { job: sampleJob({ state: 'queued', verdict: null, result: null }), steps: [STEP], attempts: [TRY], calls: [] };
const OPEN = { state: 'running', waiting: [], nowMs: STARTED_MS } as const;

const run = sampleRun({
  manifest: { ...MANIFEST, models: { fast: { provider: 'lab', group: null } as never } },
});

test('a job that is to be tried again says when and after what', () => {
  expect(waitLines(run, QUEUED, OPEN)[0]).toMatch(/^ Waits: to be tried again at .*\(in 3 min\) after timeout: no answer in 120 s$/);
});

test('a job whose provider is paused says why and how long, and nothing of other providers', () => {
  const due = { ...QUEUED, steps: [{ ...STEP, runAtMs: 0 }] };
  const pause = { why: 'lane_paused', laneId: 'l', lane: 'lab', count: 3, untilMs: STARTED_MS + 60_000, message: 'quota' } as const;
  expect(waitLines(run, due, { ...OPEN, waiting: [pause, { ...pause, lane: 'other' }] })).toEqual([
    expect.stringMatching(/^ Waits: lab is paused/),
  ]);
  expect(waitLines(run, QUEUED, { ...OPEN, waiting: [pause] })).toHaveLength(1);
  expect(waitLines(run, due, OPEN)).toEqual([' Waits: for its turn']);
});

test('a paused run, and one that nobody works on, name the command that goes on', () => {
  expect(waitLines(run, QUEUED, { ...OPEN, state: 'paused' })).toEqual([' Waits: the run is paused', ' next: aieval resume r-8kq2aaaa']);
  expect(waitLines(run, QUEUED, { ...OPEN, state: 'interrupted' }).slice(1)).toEqual([
    ' Nobody works on this run.',
    ' next: aieval run /home/ann/spec/manifest.json',
  ]);
});

test('a job that ended waits for nothing', () => {
  expect(waitLines(run, { ...QUEUED, job: sampleJob() }, OPEN)).toEqual([]);
});
