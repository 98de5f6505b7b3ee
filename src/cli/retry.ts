import type { Pool } from '../engine/pool.ts';
import type { RetrySelection } from '../store/plan-rows.ts';
import type { RunRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { allowedHosts } from './allow-hosts.ts';
import { openPool, openState } from './context.ts';
import { createDisplay } from './display/create-display.ts';
import type { Display } from './display/display.ts';
import { execute } from './execute.ts';
import { EXIT } from './exit-codes.ts';
import { findJobId } from './find-job.ts';
import { findRun } from './find-run.ts';
import type { Globals } from './globals.ts';
import type { CliIo } from './io.ts';
import type { RetryOptions } from './options.ts';
import { openSession } from './session.ts';
import { probeFolder } from './state-folder.ts';

/** `aieval retry [RUN]`: queues the failed jobs again and works on them with the run's own manifest. Returns the exit code. */
export async function retryCommand(
  io: CliIo,
  globals: Globals,
  [argument = 'latest']: readonly string[],
  options: RetryOptions,
): Promise<number> {
  const allowHosts = allowedHosts(io.env, options.allowHost);
  const { store } = await openState(io, { manifestPath: null, db: globals.db, out: globals.out, mustExist: true });
  const display = await createDisplay(globals, io);
  const pool = openPool();
  try {
    const run = await findRun(store, argument);
    probeFolder(run.outDir);
    const { requeued } = await store.retryJobs(run.runId, await selectionOf(store, run, options));
    if (requeued === 0) {
      io.stderr.write(`no failed job of ${run.runId} can be asked again. For mended documents: aieval run ${run.manifestPath}\n`);
      return EXIT.empty;
    }
    return await work(io, { store, run, display, pool, requeued, allowHosts }, options);
  } finally {
    display.close();
    await pool.close();
    await store.close();
  }
}

type Tools = {
  readonly store: Store;
  readonly run: RunRow;
  readonly display: Display;
  readonly pool: Pool;
  readonly requeued: number;
  readonly allowHosts: readonly string[];
};

async function work(io: CliIo, { store, run, display, pool, requeued, allowHosts }: Tools, options: RetryOptions): Promise<number> {
  const { runId, name, outDir } = run;
  const session = openSession(io, { display, manifest: run.manifest, allowHosts });
  try {
    await session.preflight(await waitingProviders(store, run));
    display.onEvent({ kind: 'run.started', runId, name, joined: true, jobs: requeued, cached: 0, outDir });
    const concurrency = options.concurrency ?? run.manifest.concurrency;
    return await execute(io, { store, run, pool, display, session, concurrency, exitZero: options.exitZero === true });
  } finally {
    await session.close();
  }
}

async function selectionOf(store: Store, run: RunRow, { job, reason }: RetryOptions): Promise<RetrySelection> {
  const jobIds = job === undefined ? null : await Promise.all(job.map((name) => findJobId(store, run, name)));
  return { jobIds, reasons: reason ?? null };
}

async function waitingProviders(store: Store, run: RunRow): Promise<Set<string>> {
  const { byModel } = await store.runTotals(run.runId);
  const waiting = byModel.filter(({ queued }) => queued > 0).flatMap(({ model }) => run.manifest.models[model]?.provider ?? []);
  return new Set(waiting);
}
