import { writeJobArtifacts } from '../engine/projections.ts';
import { createProviderSet } from '../engine/provider-set.ts';
import { workRun } from '../engine/run-work.ts';
import { writeUnwritten } from '../engine/unwritten.ts';
import type { RunRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { openPool, openState, thisWorker } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { findRun } from './find-run.ts';
import type { Globals } from './globals.ts';
import type { CliIo } from './io.ts';
import { takeSnapshot } from './snapshot.ts';
import { counted } from './terminal/format.ts';
import { packageVersion } from './version.ts';

/** `aieval cancel [RUN]`: ends a run's queued work. Doing it to a run that is over changes nothing and is no error. */
export async function cancelCommand(io: CliIo, globals: Globals, [name = 'latest']: readonly string[]): Promise<number> {
  const { store } = await openState(io, { manifestPath: null, db: globals.db, out: globals.out, mustExist: true });
  try {
    const run = await findRun(store, name);
    const { changed } = await store.cancelRun(run.runId);
    await finishPaid(io, store, run.runId);
    await writeUnwritten(store, packageVersion(), (message) => io.stderr.write(`warning: ${message}\n`));
    if (globals.json) io.stdout.write(`${JSON.stringify({ v: 1, run: run.runId, changed })}\n`);
    else if (!globals.quiet) io.stdout.write(`${await sentence(store, run, changed)}\n`);
    return EXIT.pass;
  } finally {
    await store.close();
  }
}

/** What a process that is gone paid for and left unjudged is judged here, without a call: nobody else works on a cancelled run. */
async function finishPaid(io: CliIo, store: Store, runId: string): Promise<void> {
  const snapshot = await takeSnapshot(store, runId, io.now(), () => false);
  if (snapshot === null || snapshot.run.state !== 'cancelled' || snapshot.workers.some(({ live }) => live)) return;
  const { run, totals } = snapshot;
  if (totals.jobs.queued + totals.jobs.running === 0) return;
  const pool = openPool();
  const never = new AbortController().signal;
  try {
    await workRun({
      store,
      run,
      worker: thisWorker(io, runId),
      pool,
      providers: createProviderSet(run.manifest, (provider) => Promise.reject(new Error(`a cancelled run calls ${provider.id}`))),
      concurrency: pool.size,
      signals: { stop: never, now: never },
      onEvent: () => undefined,
      now: io.now,
      inFlight: { count: 0 },
      project: (record) => writeJobArtifacts({ store, run, version: packageVersion() }, record),
    });
  } finally {
    await pool.close();
  }
}

async function sentence(store: Store, run: RunRow, changed: boolean): Promise<string> {
  const { jobs } = await store.runTotals(run.runId);
  if (!changed) return `Run ${run.runId} is ${run.state} already; ${held(jobs.running)}`;
  const running = jobs.running > 0 ? ` ${counted(jobs.running, 'job')} in flight will finish and be kept.` : '';
  return `Cancelled run ${run.runId}: ${counted(jobs.cancelled, 'job')} will not be done.${running}`;
}

function held(running: number): string {
  if (running === 0) return 'nothing was changed.';
  return `${counted(running, 'job')} of a process that is gone can be ended when its lease is over: aieval cancel`;
}
