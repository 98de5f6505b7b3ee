import { UserError } from '../../domain/errors.ts';
import { writeUnwritten } from '../../engine/unwritten.ts';
import type { RunRow } from '../../store/rows.ts';
import type { WorkerOptions } from '../commands/options.ts';
import { allowedHosts } from '../config/allow-hosts.ts';
import { withStore } from '../context.ts';
import { createDisplay } from '../display/create-display.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { findRun } from '../jobs/find-run.ts';
import { observed } from '../observe/observed.ts';
import { openPool } from '../open-pool.ts';
import { writeHtml } from '../results/html-output.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { packageVersion } from '../version.ts';
import { isAbandonedPlan } from './left-runs.ts';
import { workerPatience } from './patience.ts';
import { refusePaused } from './refuse-paused.ts';
import { probeRunFolder } from './run-folder.ts';
import { continueLine } from './run-line.ts';
import { awaitFirstRun } from './standby.ts';
import { type WorkTools, workOn } from './work-on.ts';
import { workOnAll } from './work-on-all.ts';
import { tellWorking } from './worker-words.ts';

/**
 * `aieval worker [RUN]`: a further process at work, from the store alone. On one run it exits as `run` does; on all of them with what
 * stopped it, or, when idle, with 0 if nothing is left that it could not do. Returns the exit code.
 */
export async function workerCommand(io: CliIo, globals: Globals, name: string | null, options: WorkerOptions): Promise<number> {
  if (name !== null && options.exitWhenIdle === true) throw neverIdle(name);
  const allowHosts = allowedHosts(io.env, options.allowHost);
  return await observed(io, globals, options, async (observation) => {
    const patience = observation.waiting(workerPatience(options));
    const stopped = name === null ? await awaitFirstRun(io, globals, patience, options) : null;
    if (stopped !== null) return stopped;
    const waiting = { onLockRetry: observation.onLockRetry, patience };
    return await withStore(io, { ...globals, ...waiting }, async (store, place) => {
      if (name === null) tellWorking(io, globals, place.db, options);
      const display = observation.display(await createDisplay(globals, io), store, name === null ? 'all' : 'told');
      const pool = openPool();
      try {
        await writeUnwritten(store, packageVersion(), (message) => display.onEvent({ kind: 'warning', message }), writeHtml);
        const tools = { store, display, pool, allowHosts };
        return name === null ? await workOnAll(io, globals, tools, options) : await workOnOne(io, tools, { name, options });
      } finally {
        display.close();
        await pool.close();
      }
    });
  });
}

function neverIdle(name: string): UserError {
  const message = '--exit-when-idle is for a worker of all runs; one of a single run leaves when that is done';
  return new UserError({
    code: 'E00',
    exitCode: EXIT.usage,
    message,
    next: [`aieval worker ${shellWord(name)}`, 'aieval worker --exit-when-idle'],
  });
}

async function workOnOne(io: CliIo, tools: WorkTools, { name, options }: { name: string; options: WorkerOptions }): Promise<number> {
  const run = await findRun(tools.store, name);
  refusePaused(run);
  refuseAbandonedPlan(io, run);
  probeRunFolder(tools.store, run);
  const { jobs } = await tools.store.runTotals(run.runId);
  return await workOn(io, { ...tools, run, jobs: jobs.total }, { ...options, wait: true });
}

/** It would be waited for for ever. */
function refuseAbandonedPlan(io: CliIo, run: RunRow): void {
  if (!isAbandonedPlan(run, io.now())) return;
  throw new UserError({
    code: 'E20',
    exitCode: EXIT.refused,
    message: `run ${run.runId} was not planned to its end`,
    next: [continueLine(run, io.cwd)],
  });
}
