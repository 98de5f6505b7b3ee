import type { RetrySelection } from '../../store/plan-rows.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { RetryOptions } from '../commands/options.ts';
import { allowedHosts } from '../config/allow-hosts.ts';
import { withStore } from '../context.ts';
import { createDisplay } from '../display/create-display.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { findJobId } from '../jobs/find-job.ts';
import { findRun } from '../jobs/find-run.ts';
import { observed } from '../observe/observed.ts';
import { openPool } from '../open-pool.ts';
import { probeFolder } from '../state-folder.ts';
import { counted } from '../terminal/format.ts';
import { refusePaused } from './refuse-paused.ts';
import { continueLine, runLine } from './run-line.ts';
import { type WorkTools, workOn } from './work-on.ts';

/**
 * `aieval retry [RUN]`: queues jobs that could not be evaluated, or with `--failed` those that did not pass, again, and works on them with
 * the run's own manifest. Returns the exit code.
 */
export async function retryCommand(io: CliIo, globals: Globals, name: string, options: RetryOptions): Promise<number> {
  const allowHosts = allowedHosts(io.env, options.allowHost);
  return await observed(io, globals, options, (observation) =>
    withStore(io, { ...globals, onLockRetry: observation.onLockRetry }, async (store) => {
      const display = observation.display(await createDisplay(globals, io), store, 'told');
      const pool = openPool();
      try {
        return await retry(io, { store, display, pool, allowHosts }, { name, options });
      } finally {
        display.close();
        await pool.close();
      }
    }),
  );
}

async function retry(io: CliIo, tools: WorkTools, { name, options }: { name: string; options: RetryOptions }): Promise<number> {
  const { store, display } = tools;
  const run = await findRun(store, name);
  refusePaused(run);
  probeFolder(run.outDir);
  const selection = await selectionOf(store, run, options);
  const { requeued } = await store.retryJobs(run.runId, selection);
  if (requeued === 0) {
    const { dlq } = await store.runTotals(run.runId);
    io.stderr.write(`${nothingText(run, { ...selection, locked: dlq.some(({ reason }) => reason === 'document_encrypted') }, io.cwd)}\n`);
    return EXIT.empty;
  }
  if (selection.of === 'failed') display.onEvent({ kind: 'warning', message: costText(requeued) });
  return await workOn(io, { ...tools, run, jobs: requeued }, options);
}

async function selectionOf(store: Store, run: RunRow, { job, reason, failed }: RetryOptions): Promise<RetrySelection> {
  const jobIds = job === undefined ? null : await Promise.all(job.map((name) => findJobId(store, run, name)));
  return { of: failed === true ? 'failed' : 'dlq', jobIds, reasons: reason ?? null };
}

type Nothing = Pick<RetrySelection, 'of'> & {
  /** Whether a password may have been set since. */
  readonly locked: boolean;
};

function nothingText(run: RunRow, { of, locked }: Nothing, cwd: string): string {
  if (of === 'failed') return `no job of ${run.runId} that was asked for has verdict fail`;
  const nothing = `no failed job of ${run.runId} can be asked again.`;
  if (isLeft(run)) return `${nothing} For what is open of it: ${continueLine(run, cwd)}`;
  const mended = locked ? 'mended documents, a password that is set by now (passwordEnv)' : 'mended documents';
  return `${nothing} For ${mended} or a changed manifest: ${runLine(run, cwd)}`;
}

/** A manifest would lead to the newer run that took its identity. */
function isLeft({ state, holdsIdentity }: RunRow): boolean {
  return !holdsIdentity && (state === 'open' || state === 'planning');
}

function costText(jobs: number): string {
  return `${counted(jobs, 'failed job')} asked anew: each pays for at least one call. The old result stays until the new one is there.`;
}
