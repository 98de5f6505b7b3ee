import { expect, test } from 'vitest';
import { openRunOf, waitLines } from '../../../src/cli/show/show-waiting.ts';
import { snapshotOf } from '../../../src/cli/status/snapshot.ts';
import type { JobRecord, StepRow, Waiting } from '../../../src/store/rows.ts';
import { MANIFEST, STARTED_MS, sampleJob, sampleRun, sampleTotals } from '../sample-run.ts';

const STEP: StepRow = {
  ...{ stepId: 1, kind: 'answer', index: 0, key: null, state: 'queued', outcome: null, runAtMs: STARTED_MS + 180_000, callToken: null },
  ...{ leaseOwner: null, leaseExpiresAtMs: null, keyRecord: null, part: null, prompt: null, paidBy: null },
};
const FAILURE = { class: 'transient', reason: 'timeout', message: 'no answer in 120 s' } as const;
const TRY = { stepId: 1, number: 1, callToken: null, outcome: 'failed', failure: FAILURE, startedAtMs: 0, endedAtMs: 0 } as const;
const QUEUED: JobRecord = { job: sampleJob({ state: 'queued', verdict: null, result: null }), steps: [STEP], attempts: [TRY], calls: [] };
const OPEN = { state: 'running', waiting: [], next: ['aieval run manifest.json'], nowMs: STARTED_MS } as const;

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
  expect(waitLines(run, QUEUED, { ...OPEN, state: 'paused', next: ['aieval resume r-8kq2aaaa'] })).toEqual([
    ' Waits: the run is paused',
    ' next: aieval resume r-8kq2aaaa',
  ]);
  expect(waitLines(run, QUEUED, { ...OPEN, state: 'interrupted' }).slice(1)).toEqual([
    ' Nobody works on this run.',
    ' next: aieval run manifest.json',
  ]);
});

test('what goes on with a run is what began it: its manifest, selection and profile; or its budget raised where that stopped it', () => {
  const budget = { nanoUsd: 1e9, tokens: null, activeMs: null, warnAt: 0.8, group: null };
  const settings = { ...run.settings, selection: { document: [], task: [], model: [], first: 3 }, profile: 'ci', budget };
  const use = { budget, nanoUsd: 1e9, tokens: 0, activeMs: 0, groupNanoUsd: 0, inFlight: false };
  const left = sampleRun({ ...run, settings });
  const nextOf = (waiting: readonly Waiting[]) => {
    const totals = sampleTotals({ waiting, budget: use });
    const snapshot = snapshotOf(left, { totals, workers: [], nowMs: STARTED_MS });
    return openRunOf({ ...snapshot, openNanoUsd: 5e8 }, '/home/ann').next;
  };
  expect(nextOf([])).toEqual(['aieval run spec/manifest.json --profile ci --first 3']);
  const reached = { why: 'budget_usd', laneId: null, count: 3, untilMs: null, message: null } as const;
  expect(nextOf([reached])).toEqual(['aieval run spec/manifest.json --profile ci --first 3 --max-cost 1.5']);
  const taken = { ...left, holdsIdentity: false };
  expect(openRunOf(snapshotOf(taken, { totals: sampleTotals({ waiting: [] }), workers: [], nowMs: STARTED_MS }), '/home/ann').next).toEqual(
    [`aieval worker ${left.runId}`],
  );
});

test('a job that ended waits for nothing', () => {
  expect(waitLines(run, { ...QUEUED, job: sampleJob() }, OPEN)).toEqual([]);
});
