import type { RetrySelection } from '../store/plan-rows.ts';
import type { RunRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { allowedHosts } from './allow-hosts.ts';
import { openState } from './context.ts';
import { createDisplay } from './display/create-display.ts';
import { EXIT } from './exit-codes.ts';
import { findJobId } from './find-job.ts';
import { findRun } from './find-run.ts';
import type { Globals } from './globals.ts';
import type { CliIo } from './io.ts';
import { openPool } from './open-pool.ts';
import type { RetryOptions } from './options.ts';
import { refusePaused } from './refuse-paused.ts';
import { probeFolder } from './state-folder.ts';
import { counted } from './terminal/format.ts';
import { workOn } from './work-on.ts';

/**
 * `aieval retry [RUN]`: queues jobs that could not be evaluated, or with `--failed` those that did not pass, again, and works on them with
 * the run's own manifest. Returns the exit code.
 */
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
    refusePaused(run);
    probeFolder(run.outDir);
    const selection = await selectionOf(store, run, options);
    const { requeued } = await store.retryJobs(run.runId, selection);
    if (requeued === 0) {
      io.stderr.write(`${nothingText(run, selection)}\n`);
      return EXIT.empty;
    }
    if (selection.of === 'failed') display.onEvent({ kind: 'warning', message: costText(requeued) });
    return await workOn(io, { store, run, display, pool, allowHosts, jobs: requeued }, options);
  } finally {
    display.close();
    await pool.close();
    await store.close();
  }
}

async function selectionOf(store: Store, run: RunRow, { job, reason, failed }: RetryOptions): Promise<RetrySelection> {
  const jobIds = job === undefined ? null : await Promise.all(job.map((name) => findJobId(store, run, name)));
  return { of: failed === true ? 'failed' : 'dlq', jobIds, reasons: reason ?? null };
}

function nothingText({ runId, manifestPath }: RunRow, { of }: RetrySelection): string {
  if (of === 'failed') return `no job of ${runId} that was asked for has verdict fail`;
  return `no failed job of ${runId} can be asked again. For mended documents: aieval run ${manifestPath}`;
}

function costText(jobs: number): string {
  return `${counted(jobs, 'failed job')} asked anew: each pays for at least one call. The old result stays until the new one is there.`;
}
