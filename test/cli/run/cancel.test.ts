import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CancelOptions } from '../../../src/cli/commands/options.ts';
import { type GlobalFlags, resolveGlobals } from '../../../src/cli/globals.ts';
import { cancelCommand } from '../../../src/cli/run/cancel.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { Bench, Clock } from '../../store/bench.ts';
import { jobOfKey, newRun } from '../../store/rows.ts';
import { options } from '../../store/sqlite/open-store.ts';
import { fakeIo } from '../fake-io.ts';

let cwd: string;
let db: string;
let store: Store;
let bench: Bench;
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'aieval-cancel-'));
  db = join(cwd, 'aieval.db');
  const clock = new Clock();
  store = await openStore(db, options(db, clock.read));
  bench = new Bench(store, clock);
});
afterEach(async () => {
  await store.close();
  rmSync(cwd, { recursive: true });
});

const plan = (jobs: number) =>
  bench.plan(
    'r1',
    Array.from({ length: jobs }, (_, i) => jobOfKey(`j${i}`, i, `k${i}`)),
    { outDir: join(cwd, 'runs', 'r1'), manifest: { ...newRun('r1').manifest, artifacts: 'failures' } },
  );

async function cancel(change: CancelOptions = {}, flags: GlobalFlags = {}) {
  const io = fakeIo({ cwd });
  const exitCode = await cancelCommand(io, resolveGlobals({ db, ...flags }, io).globals, 'r1', change);
  return { exitCode, stdout: io.stdout.text, stderr: io.stderr.text };
}

const record = async (change: CancelOptions = {}) => JSON.parse((await cancel(change, { json: true })).stdout);

describe('what cancel counts', () => {
  test('are the jobs and the changes of this command, of a whole run and of some jobs alike', async () => {
    await plan(5);
    await bench.claimed('r1');
    expect(await record({ job: ['j1', 'j2'] })).toMatchObject({ changed: true, cancelled: 2, running: 0 });
    expect(await record({ job: ['j0'] })).toMatchObject({ changed: true, cancelled: 0, running: 1 });
    expect(await record({ job: ['j0'] })).toMatchObject({ changed: false, cancelled: 0, running: 1 });
    expect(await record()).toMatchObject({ changed: true, cancelled: 2, running: 1 });
    expect(await record()).toMatchObject({ changed: false, cancelled: 0, running: 1 });
    expect(await record({ now: true })).toMatchObject({ changed: true, cancelled: 0, running: 1 });
    expect(await record({ now: true })).toMatchObject({ changed: false, cancelled: 0, running: 1 });
  });

  test('are also the jobs that have their old result again, as its dry run says, and the run is finished then', async () => {
    await plan(2);
    for (let i = 0; i < 2; i += 1) await bench.complete(await bench.claimed('r1'), { verdict: 'fail' });
    await store.finishRun('r1');
    const again = () => store.retryJobs('r1', { of: 'failed', jobIds: null, reasons: null });
    await again();
    expect(await record({ dryRun: true })).toMatchObject({ cancelled: 2 });
    expect(await record()).toMatchObject({ changed: true, cancelled: 2, running: 0 });
    expect((await store.getRun('r1'))?.state).toBe('finished');
    await again();
    expect((await cancel()).stdout).toBe('Cancelled run r1: 2 jobs will not be done; of 2 the result of before stands again.\n');
  });

  test('is said on one line', async () => {
    await plan(3);
    await bench.claimed('r1');
    await cancel({ job: ['j1'] });
    expect((await cancel()).stdout).toBe('Cancelled run r1: 1 job will not be done. 1 job in flight will finish and be kept.\n');
    expect((await cancel({ now: true })).stdout).toBe('Run r1 was cancelled already. 1 job in flight will end within seconds.\n');
    expect((await cancel()).stdout).toBe('Run r1 is cancelled already. 1 job in flight will finish and be kept.\n');
  });
});

describe('a large run', () => {
  /** Below a file no folder can be made: the files of so many jobs take their time, and are not what this is about. */
  const large = (runId: string) =>
    bench.plan(
      runId,
      Array.from({ length: 500 }, (_, i) => jobOfKey(`j${i}`, i, `${runId} ${i}`)),
      { outDir: join(db, runId) },
    );
  const told = async (name: string, flags: GlobalFlags) => {
    const io = fakeIo({ cwd });
    await cancelCommand(io, resolveGlobals({ db, ...flags }, io).globals, name, {});
    return io.stderr.lines.filter((line) => !line.startsWith('warning: '));
  };

  test('is cancelled with a word about what is done, but not for a script, nor quietly', async () => {
    for (const runId of ['r1', 'r2', 'r3']) await large(runId);
    expect(await told('r1', {})).toEqual(['Cancelling 500 queued jobs of run r1; this takes a while.', 'Writing the files of run r1.']);
    expect(await told('r2', { quiet: true })).toEqual([]);
    expect(await told('r3', { json: true })).toEqual([]);
  });
});
