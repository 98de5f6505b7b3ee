import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { Bench, Clock } from '../../bench.ts';
import { jobOfKey } from '../../rows.ts';
import { openTempStore } from '../open-store.ts';

const DRAIN = fileURLToPath(new URL('./drain.mjs', import.meta.url));
const run = promisify(execFile);

it('processes on one file share the work: every job ends, no key is called twice', async () => {
  const opened = await openTempStore(Date.now);
  const bench = new Bench(opened.store, new Clock());
  const jobs = Array.from({ length: 120 }, (_, seq) => jobOfKey(`j${seq}`, seq, `k${seq % 80}`));
  await bench.plan('r1', jobs);
  const drained = await Promise.all(['p1', 'p2', 'p3'].map((id) => run(process.execPath, [DRAIN, opened.path, 'r1', id])));
  const called = drained.flatMap(({ stdout }) => stdout.split('\n').filter((line) => line !== ''));
  expect(called.sort()).toEqual(Array.from({ length: 80 }, (_, i) => `k${i}`).sort());
  const totals = await opened.store.runTotals('r1');
  expect(totals).toMatchObject({ jobs: { total: 120, succeeded: 120 }, calls: 80, cacheHits: 40 });
  expect(await opened.store.finishRun('r1')).toBe(true);
  await opened.dispose();
});
