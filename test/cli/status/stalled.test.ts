import { describe, expect, test } from 'vitest';
import { nextSteps } from '../../../src/cli/status/next-steps.ts';
import { snapshotOf, takeSnapshot } from '../../../src/cli/status/snapshot.ts';
import { type Looked, stalledOf } from '../../../src/cli/status/stalled.ts';
import { statusRecord } from '../../../src/cli/status/status-record.ts';
import { statusLines } from '../../../src/cli/status/status-screen.ts';
import { painter } from '../../../src/cli/terminal/style.ts';
import type { Waiting } from '../../../src/store/rows.ts';
import { MANIFEST, STARTED_MS, sampleRun, sampleTotals, sampleWorker } from '../sample-run.ts';

const MINUTE = 60_000;

function looked(minutes: number, change: Partial<Looked> = {}): Looked {
  const jobs = { total: 40, queued: 12, running: 0, succeeded: 26, failed: 2, cancelled: 0 };
  const totals = sampleTotals({ jobs, waiting: [], happenedAtMs: STARTED_MS });
  const idle = sampleWorker({ runId: 'r-8kq2aaaa', running: 0, oldestLeaseAtMs: null, beatAtMs: STARTED_MS + minutes * MINUTE });
  return { run: sampleRun(), totals, workers: [idle], nowMs: STARTED_MS + minutes * MINUTE, ...change };
}

/** A run whose model may take `totalMs` for a call, of which one has run since `sinceMs`. */
function calling(minutes: number, totalMs: number): Looked {
  const timeouts = { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs };
  const fast = { id: 'fast', provider: 'p', model: 'm', group: null, params: {}, price: null, contextTokens: null } as const;
  const models = { fast: { ...fast, structuredOutput: 'auto', timeouts } } as const;
  return looked(minutes, {
    run: sampleRun({ manifest: { ...MANIFEST, models } }),
    totals: sampleTotals({ waiting: [], happenedAtMs: STARTED_MS }),
    workers: [sampleWorker({ oldestLeaseAtMs: STARTED_MS })],
  });
}

describe('a run that is worked on', () => {
  test('is stalled when nothing has happened for five minutes', () => {
    expect(stalledOf(looked(4.9))).toBeNull();
    expect(stalledOf(looked(5))).toEqual({ sinceMs: STARTED_MS, why: 'not_taken', cause: 'no worker takes the open work' });
  });

  test('is not stalled when all of it is done, or a call began since', () => {
    const jobs = { total: 40, queued: 0, running: 0, succeeded: 38, failed: 2, cancelled: 0 };
    expect(stalledOf(looked(60, { totals: sampleTotals({ jobs }) }))).toBeNull();
    const workers = [sampleWorker({ oldestLeaseAtMs: STARTED_MS + 57 * MINUTE })];
    expect(stalledOf({ ...calling(60, 1), workers })).toBeNull();
  });

  test('may wait for a call as long as a call may take', () => {
    expect(stalledOf(calling(9, 10 * MINUTE))).toBeNull();
    expect(stalledOf(calling(11, 10 * MINUTE))?.cause).toMatch(/^2 steps in flight since \d\d:\d\d, no answer/);
  });

  test('says what is waited for: a rate limit, or a server that is down', () => {
    const waiting = (why: 'lane_requests' | 'lane_breaker') => [
      { why, laneId: 'l', lane: 'lab', count: 12, untilMs: STARTED_MS + 70 * MINUTE, message: null },
    ];
    const cause = (why: 'lane_requests' | 'lane_breaker') => {
      const { totals } = looked(10);
      return stalledOf(looked(10, { totals: { ...totals, waiting: waiting(why) } }))?.cause;
    };
    expect(cause('lane_requests')).toBe('rate limit: waits for requests of lab, next in 1h00m');
    expect(cause('lane_breaker')).toBe('lab is failing; probing again in 1h00m');
  });

  test('says when the worker of what runs is gone', () => {
    const { totals } = looked(10);
    const jobs = { ...totals.jobs, running: 3, queued: 9 };
    expect(stalledOf(looked(10, { totals: { ...totals, jobs } }))?.cause).toContain('the worker of 3 jobs is gone');
  });
});

test('status says STALLED first, with the cause, on the screen and in JSON', async () => {
  const { run, totals, workers, nowMs } = looked(6);
  const store = {
    getRun: async () => run,
    runTotals: async () => totals,
    workers: async () => workers,
    openCalls: async () => [],
    spansMachines: false,
  };
  const snapshot = await takeSnapshot(store, run.runId, nowMs);
  // What was fast before it stood still says nothing of its end.
  const pace = { jobsPerMinute: 12, etaSeconds: 60, etaAtLeastSeconds: 60 };
  const [title] = statusLines(snapshot, pace, { columns: 100, paint: painter(false), cwd: '/', lead: 'aieval' });
  expect(title).toBe('r-8kq2aaaa  spec-review   STALLED for 6m00s   no worker takes the open work');
  expect(statusRecord(snapshot, pace, ['a command'])).toMatchObject({
    stalled: { sinceSeconds: 360, why: 'not_taken', cause: 'no worker takes the open work' },
    next: ['a command'],
    etaSeconds: null,
  });
});

describe('what helps a run that is stalled', () => {
  const home = '/home/ann/spec';
  const stepsOf = ({ run, totals, workers, nowMs }: Looked): readonly string[] =>
    nextSteps(snapshotOf(run, { totals, workers, nowMs }), home);
  const waiting = (wait: Partial<Waiting>): Looked => {
    const { totals } = looked(10);
    const each = { why: 'lane_paused', laneId: 'l', lane: 'lab', count: 12, untilMs: null, message: null, ...wait } as const;
    return looked(10, { totals: { ...totals, waiting: [each] } });
  };

  test('is a look at the server that does not answer', () => {
    const { workers, ...silent } = calling(11, 10 * MINUTE);
    const beating = workers.map((worker) => ({ ...worker, runId: silent.run.runId, beatAtMs: silent.nowMs }));
    expect(stepsOf({ ...silent, workers: beating })).toEqual(['aieval doctor manifest.json --online']);
  });

  test('is to ask a provider before its time, to mend what no time mends, or to work on it', () => {
    expect(stepsOf(waiting({ untilMs: STARTED_MS + 70 * MINUTE }))).toEqual(['to ask again now: aieval resume r-8kq2aaaa']);
    expect(stepsOf(waiting({ reason: 'quota' }))).toEqual(['add credit, then: aieval run manifest.json']);
    expect(stepsOf(looked(10))).toEqual(['aieval run manifest.json']);
  });

  test('is nothing where limits that were stated let it go on by itself, and nothing where it moves', () => {
    expect(stepsOf(waiting({ why: 'lane_requests', untilMs: STARTED_MS + 70 * MINUTE }))).toEqual([]);
    expect(stepsOf(looked(4))).toEqual([]);
  });
});
