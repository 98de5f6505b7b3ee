import { relative } from 'node:path';
import { UserError } from '../domain/errors.ts';
import type { Pool } from '../engine/pool.ts';
import { writeUnwritten } from '../engine/unwritten.ts';
import { LONGEST_PLAN_MS } from '../engine/work-all.ts';
import type { RunRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { allowedHosts } from './allow-hosts.ts';
import { openState } from './context.ts';
import { createDisplay } from './display/create-display.ts';
import type { Display } from './display/display.ts';
import { EXIT } from './exit-codes.ts';
import { findRun } from './find-run.ts';
import type { Globals } from './globals.ts';
import type { CliIo } from './io.ts';
import { openPool } from './open-pool.ts';
import type { WorkerOptions } from './options.ts';
import { refusePaused } from './refuse-paused.ts';
import { probeFolder } from './state-folder.ts';
import { shellWord } from './terminal/shell-word.ts';
import { packageVersion } from './version.ts';
import { workOn } from './work-on.ts';
import { workOnAll } from './work-on-all.ts';

/**
 * `aieval worker [RUN]`: a further process at work, from the store alone. On one run it exits as `run` does; on all of them with what
 * stopped it, or, when idle, with 0 if nothing is left that it could not do. Returns the exit code.
 */
export async function workerCommand(io: CliIo, globals: Globals, [name]: readonly string[], options: WorkerOptions): Promise<number> {
  const allowHosts = allowedHosts(io.env, options.allowHost);
  const { store } = await openState(io, { manifestPath: null, db: globals.db, out: globals.out, mustExist: true });
  const display = await createDisplay(globals, io);
  const pool = openPool();
  try {
    await writeUnwritten(store, packageVersion(), (message) => display.onEvent({ kind: 'warning', message }));
    const tools = { store, display, pool, allowHosts };
    return name === undefined ? await workOnAll(io, globals, tools, options) : await workOnOne(io, tools, { name, options });
  } finally {
    display.close();
    await pool.close();
    await store.close();
  }
}

type Tools = { readonly store: Store; readonly display: Display; readonly pool: Pool; readonly allowHosts: readonly string[] };

async function workOnOne(io: CliIo, tools: Tools, { name, options }: { name: string; options: WorkerOptions }): Promise<number> {
  const run = await findRun(tools.store, name);
  refusePaused(run);
  refuseAbandonedPlan(io, run);
  probeFolder(run.outDir);
  const { jobs } = await tools.store.runTotals(run.runId);
  return await workOn(io, { ...tools, run, jobs: jobs.total }, options);
}

/** Only `run` has the documents to plan a run to its end; without that it would be waited for for ever. */
function refuseAbandonedPlan(io: CliIo, { runId, state, createdAtMs, manifestPath }: RunRow): void {
  if (state !== 'planning' || io.now() - createdAtMs < LONGEST_PLAN_MS) return;
  const way = relative(io.cwd, manifestPath);
  throw new UserError({
    code: 'E20',
    exitCode: EXIT.refused,
    message: `run ${runId} was not planned to its end`,
    next: [`aieval run ${shellWord(way.startsWith('..') ? manifestPath : way)}`],
  });
}
