import { expect, test } from 'vitest';
import { readQueue } from '../../../src/cli/observe/queue-numbers.ts';
import type { OldestWork, RunRow, RunTotals } from '../../../src/store/rows.ts';
import { SAMPLE_USE, STARTED_MS, sampleRun, sampleTotals, sampleWorker } from '../sample-run.ts';

type Known = { readonly run: RunRow; readonly totals: RunTotals; readonly oldest: OldestWork };

const NOTHING: OldestWork = { queuedAtMs: null, runningAtMs: null };

function storeOf(all: readonly Known[]) {
  const of = (runId: string): Known => {
    const found = all.find(({ run }) => run.runId === runId);
    if (found === undefined) throw new Error(`no run ${runId}`);
    return found;
  };
  return {
    listRuns: async () => all.map(({ run }) => run),
    runTotals: async (runId: string) => of(runId).totals,
    oldestWork: async (runId: string) => of(runId).oldest,
    workers: async () => [sampleWorker()],
    maxRunning: async () => null,
  };
}

const known = (runId: string, state: RunRow['state'], totals: Partial<RunTotals> = {}, oldest: OldestWork = NOTHING): Known => ({
  run: sampleRun({ runId, state }),
  totals: sampleTotals(totals),
  oldest,
});

test('all unfinished runs are added up, and the oldest of them counts', async () => {
  const store = storeOf([
    known('a', 'open', {}, { queuedAtMs: STARTED_MS - 4000, runningAtMs: STARTED_MS - 1000 }),
    known('b', 'paused', {}, { queuedAtMs: STARTED_MS - 9000, runningAtMs: null }),
    known('c', 'finished'),
    known('d', 'cancelled'),
  ]);
  expect(await readQueue(store, { watched: 'all', tags: [] }, STARTED_MS)).toMatchObject({
    jobs: { queued: 20, running: 4, succeeded: 52, failed: 4, cancelled: 0 },
    oldestSeconds: { queued: 9, running: 1 },
    cachedJobs: 16,
    spentUsd: 1.34,
    budget: null,
    workersAlive: 1,
  });
});

test('of runs that are told only these count, also when they are over; none is nothing', async () => {
  const store = storeOf([known('a', 'open'), known('b', 'finished')]);
  expect(await readQueue(store, { watched: new Set(['b']), tags: [] }, STARTED_MS)).toMatchObject({
    jobs: { succeeded: 26 },
    oldestSeconds: { queued: null, running: null },
  });
  expect((await readQueue(store, { watched: new Set(), tags: [] }, STARTED_MS)).jobs).toEqual({
    queued: 0,
    running: 0,
    succeeded: 0,
    failed: 0,
    cancelled: 0,
  });
});

test('the budget is that which is left with the least: of the run or of its group, of any run', async () => {
  const group = { ...SAMPLE_USE, groupNanoUsd: 9_900_000_000 };
  const read = async (...uses: (typeof SAMPLE_USE)[]) =>
    (await readQueue(storeOf(uses.map((budget, n) => known(`r${n}`, 'open', { budget }))), { watched: 'all', tags: [] }, STARTED_MS))
      .budget;
  expect(await read(SAMPLE_USE)).toEqual({ leftUsd: 2.26, ofUsd: 3 });
  expect(await read(SAMPLE_USE, group)).toEqual({ leftUsd: 0.1, ofUsd: 10 });
  expect(await read({ ...SAMPLE_USE, nanoUsd: 4_000_000_000 })).toEqual({ leftUsd: 0, ofUsd: 3 });
});
