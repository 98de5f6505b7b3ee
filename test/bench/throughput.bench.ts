import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Bench, Clock } from '../store/bench.ts';
import { document, job, newRun, worker } from '../store/rows.ts';
import { openTempStore, type SqliteBench } from '../store/sqlite/open-store.ts';

const JOBS = 100_000;
const SETTLED = 3000;
const LOOPS = 64;

let opened: SqliteBench;
beforeEach(async () => {
  opened = await openTempStore(new Clock().read, { newToken: randomUUID });
});
afterEach(() => opened.dispose());

async function plan(jobs: number): Promise<number> {
  const { store } = opened;
  await store.openRun(newRun('r1'));
  await store.addDocuments('r1', [document('a.md')]);
  const rows = Array.from({ length: jobs }, (_, seq) => job(`j${seq}`, seq));
  const startedAtMs = performance.now();
  await store.addJobs('r1', rows);
  const tookMs = performance.now() - startedAtMs;
  await store.markPlanned('r1');
  return tookMs;
}

it('100,000 jobs are planned', async () => {
  const tookMs = await plan(JOBS);
  console.log(`enqueue: ${JOBS} jobs in ${(tookMs / 1000).toFixed(1)} s, ${Math.round(JOBS / (tookMs / 1000))} a second`);
  expect((await opened.store.runTotals('r1')).jobs.queued).toBe(JOBS);
});

it.each([1, LOOPS])('jobs are claimed, called, settled and finished in %i loops of one process, durably', async (loops) => {
  await plan(SETTLED);
  await opened.store.registerWorker(worker('w1'));
  const bench = new Bench(opened.store, new Clock());
  const loop = async (): Promise<void> => {
    for (let reply = await bench.claim('r1'); reply.kind === 'claimed'; reply = await bench.claim('r1')) await bench.complete(reply.claim);
  };
  const startedAtMs = performance.now();
  await Promise.all(Array.from({ length: loops }, loop));
  const seconds = (performance.now() - startedAtMs) / 1000;
  console.log(`settle: ${SETTLED} jobs in ${loops} loops, ${Math.round(SETTLED / seconds)} jobs a second`);
  expect((await opened.store.runTotals('r1')).jobs.succeeded).toBe(SETTLED);
});
