import { resolve } from 'node:path';
import type { ResolvedManifest } from '../domain/manifest/resolved.ts';
import { enqueue } from '../engine/enqueue.ts';
import type { Pool } from '../engine/pool.ts';
import { newRunId, openPool, openState, type State } from './context.ts';
import { createDisplay } from './display/create-display.ts';
import type { Display } from './display/display.ts';
import { execute } from './execute.ts';
import type { Globals } from './globals.ts';
import type { CliIo } from './io.ts';
import type { RunOptions } from './options.ts';
import { findDocuments, type Prepared, prepare, readManifest } from './prepare.ts';
import { openRecording } from './recording.ts';
import { openSession, type Session } from './session.ts';
import { providersToCall } from './to-call.ts';

/** `aieval run MANIFEST`: plans, opens or joins the run, works on it, writes what came of it. Returns the exit code. */
export async function runCommand(io: CliIo, globals: Globals, [argument = '']: readonly string[], options: RunOptions): Promise<number> {
  const loaded = await readManifest(io, argument);
  const files = await findDocuments(loaded);
  const state = await openState(io, { manifestPath: loaded.path, db: globals.db, out: globals.out, mustExist: false });
  const display = await createDisplay(globals, io);
  const pool = openPool();
  try {
    for (const message of loaded.warnings) display.onEvent({ kind: 'warning', message });
    const manifest = options.cache ? loaded.manifest : withoutCache(loaded.manifest);
    const prepared = await prepare(io, { ...loaded, manifest }, files, { pool, onEvent: display.onEvent });
    return await work(io, { state, display, pool, prepared, options });
  } finally {
    display.close();
    await pool.close();
    await state.store.close();
  }
}

type Tools = {
  readonly state: State;
  readonly display: Display;
  readonly pool: Pool;
  readonly prepared: Prepared;
  readonly options: RunOptions;
};

async function work(io: CliIo, tools: Tools): Promise<number> {
  const { record } = tools.options;
  if (record === undefined) return await workInSession(io, tools, openSession(io, tools.display, tools.prepared.manifest));
  const recording = await openRecording(resolve(io.cwd, record));
  try {
    return await workInSession(io, tools, openSession(io, tools.display, tools.prepared.manifest, recording.wrap));
  } finally {
    await recording.save();
  }
}

/** The endpoints are asked before the run is opened, so that a start that cannot succeed leaves no run behind. */
async function workInSession(io: CliIo, { state, display, pool, prepared, options }: Tools, session: Session): Promise<number> {
  const { store, place } = state;
  try {
    const toCall = await providersToCall(store, prepared.manifest, prepared.plan.jobs);
    await session.preflight(toCall.providers);
    const runId = newRunId();
    const { run, joined } = await enqueue(store, {
      ...prepared,
      runId,
      outDir: resolve(place.runs, runId),
      forceNew: options.new === true,
    });
    const jobs = prepared.plan.jobs.length;
    display.onEvent({ kind: 'run.started', runId: run.runId, name: run.name, joined, jobs, cached: toCall.cached, outDir: run.outDir });
    const concurrency = options.concurrency ?? run.manifest.concurrency;
    return await execute(io, { store, run, pool, display, session, concurrency, exitZero: options.exitZero === true });
  } finally {
    await session.close();
  }
}

/** `--no-cache`: other runs' answers are neither taken nor given; within the run nothing is asked twice all the same. */
function withoutCache(manifest: ResolvedManifest): ResolvedManifest {
  return { ...manifest, cache: { ...manifest.cache, mode: 'off' } };
}
