import { describe, expect, test } from 'vitest';
import { type Fleet, loadOf, otherWork, readFleet } from '../../../src/cli/status/fleet.ts';
import type { RunRow, RunTotals, Waiting } from '../../../src/store/rows.ts';
import { ASKING } from '../../engine/asking.ts';
import { MANIFEST, STARTED_MS, sampleModel, sampleRun, sampleTotals, sampleWorker } from '../sample-run.ts';

const INPUT = { nowMs: STARTED_MS, targetMs: 600_000, concurrency: null };
const JOBS = { total: 40, queued: 10, running: 2, succeeded: 28, failed: 0, cancelled: 0 };

function fleet(runs: readonly { run?: Partial<RunRow>; totals?: Partial<RunTotals> }[], rest: Partial<Fleet> = {}): Fleet {
  const of = ({ run = {}, totals = {} }: (typeof runs)[number]) => ({
    run: sampleRun(run),
    totals: sampleTotals({ jobs: JOBS, waiting: [], ...totals }),
  });
  return { tags: [], runs: runs.map(of), workers: [sampleWorker()], maxRunning: null, ...rest };
}

describe('what a fleet of workers has to do', () => {
  test('is what is queued and runs in all runs that take claims', async () => {
    const runs = [sampleRun({ runId: 'a' }), sampleRun({ runId: 'b', state: 'paused' }), sampleRun({ runId: 'c', state: 'finished' })];
    const store = {
      listRuns: async () => runs,
      runTotals: async () => sampleTotals({ jobs: JOBS, waiting: [] }),
      workers: async () => [sampleWorker({ running: 2 }), sampleWorker({ running: 0 }), sampleWorker({ alive: false, running: 3 })],
      maxRunning: async () => 6,
    };
    expect(loadOf(await readFleet(store, []), INPUT)).toMatchObject({
      queued: 10,
      running: 2,
      workersAlive: 2,
      workersHolding: 1,
      mostRunning: 6,
      concurrency: MANIFEST.concurrency,
    });
  });

  test('is not what a pause or a budget stops, nor what waits for longer than is wished', () => {
    const wait = (why: Waiting['why'], untilMs: number | null): Waiting => ({ why, laneId: null, count: 3, untilMs, message: null });
    const waiting = [wait('lane_paused', null), wait('budget_usd', null), wait('backoff', STARTED_MS + 5000)];
    expect(loadOf(fleet([{ totals: { waiting } }]), INPUT).queued).toBe(4);
    expect(loadOf(fleet([{ totals: { waiting: [wait('lane_paused', STARTED_MS + 3_600_000)] } }]), INPUT).queued).toBe(7);
  });

  test('is for workers with the same tags: what waits for other tags, what others hold, and these others themselves do not count', () => {
    const waiting: Waiting[] = [{ why: 'tags', laneId: null, count: 3, untilMs: null, tags: ['bravo'], message: null }];
    const workers = [
      sampleWorker({ running: 1 }),
      sampleWorker({ tags: ['bravo'], running: 1 }),
      sampleWorker({ tags: ['bravo', 'gpu'], running: 0 }),
      sampleWorker({ tags: ['bravo'], running: 1, alive: false }),
    ];
    const one = fleet([{ totals: { waiting } }], { workers });
    expect(loadOf(one, INPUT)).toMatchObject({ queued: 7, running: 1, workersAlive: 1, workersHolding: 1 });
    expect(otherWork(one)).toEqual([{ tags: ['bravo'], count: 3, workersAlive: 2 }]);
    expect(loadOf({ ...one, tags: ['gpu', 'bravo'] }, INPUT)).toMatchObject({ running: 0, workersAlive: 1, workersHolding: 0 });
  });

  test('takes as long as calls took, so often as a job has open parts', () => {
    const byModel = [
      sampleModel({ model: 'fast', queued: 10, running: 0, openParts: 0, p50Ms: 1000 }),
      sampleModel({ model: 'cut', queued: 10, running: 0, openParts: 50, p50Ms: 1000 }),
      sampleModel({ model: 'new', queued: 10, running: 0, p50Ms: null }),
    ];
    expect(loadOf(fleet([{ totals: { byModel } }]), INPUT).jobMs).toBe(3000);
    expect(loadOf(fleet([{ totals: { byModel: byModel.slice(2) } }]), INPUT).jobMs).toBeNull();
    expect(loadOf(fleet([]), INPUT)).toMatchObject({ queued: 0, running: 0, jobMs: null, concurrency: 8, mostRunning: null });
  });

  test('runs no more at once than the limits of the providers, of the runs and of the store let', () => {
    const byModel = [sampleModel({ model: 'model', queued: 5, running: 0 })];
    const asking = { run: { manifest: ASKING }, totals: { byModel } };
    expect(loadOf(fleet([asking]), INPUT).mostRunning).toBe(4);
    expect(loadOf(fleet([asking, asking]), INPUT).mostRunning).toBe(4);
    expect(loadOf(fleet([asking], { maxRunning: 3 }), INPUT).mostRunning).toBe(3);
    const settings = { ...sampleRun().settings, runConcurrency: 2 };
    expect(loadOf(fleet([{ ...asking, run: { manifest: ASKING, settings } }]), INPUT).mostRunning).toBe(2);
  });

  test('of a worker with a concurrency of its own is shared by that', () => {
    expect(loadOf(fleet([{}]), { ...INPUT, concurrency: 2 }).concurrency).toBe(2);
  });
});
