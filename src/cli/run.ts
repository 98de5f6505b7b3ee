import { resolve } from 'node:path';
import type { ResolvedManifest } from '../domain/manifest/resolved.ts';
import { enqueue } from '../engine/enqueue.ts';
import type { Pool } from '../engine/pool.ts';
import { writeUnwritten } from '../engine/unwritten.ts';
import type { NewJob } from '../store/plan-rows.ts';
import type { RunRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { allowedHosts } from './allow-hosts.ts';
import { expectedTooMuch, worstTooMuch } from './budget-words.ts';
import { newRunId, openState, type State } from './context.ts';
import { createDisplay } from './display/create-display.ts';
import type { Display } from './display/display.ts';
import { documentNotes } from './document-notes.ts';
import { execute } from './execute.ts';
import type { Globals } from './globals.ts';
import type { CliIo } from './io.ts';
import { openPool } from './open-pool.ts';
import type { RunOptions } from './options.ts';
import { readOutlook } from './outlook.ts';
import { type Prepared, prepare, readManifest } from './prepare.ts';
import { openRecording, type Recording } from './recording.ts';
import { refusePaused } from './refuse-paused.ts';
import { openSession } from './session.ts';
import { probeFolder } from './state-folder.ts';
import { tellLeftRun } from './tell-left-run.ts';
import { fatesOf, toCall } from './to-call.ts';
import { packageVersion } from './version.ts';

/** Things told of the documents; `plan` and the summary have more. */
const NOTES_SHOWN = 10;

/** `aieval run MANIFEST`: plans, opens or joins the run, works on it, writes what came of it. Returns the exit code. */
export async function runCommand(io: CliIo, globals: Globals, argument: string, options: RunOptions): Promise<number> {
  const loaded = await readManifest(io, argument, options);
  const recording = options.record === undefined ? null : await openRecording(io, resolve(io.cwd, options.record));
  const state = await openState(io, { manifestPath: loaded.path, db: globals.db, out: globals.out, mustExist: false });
  const display = await createDisplay(globals, io);
  const pool = openPool();
  try {
    const warn = (message: string): void => display.onEvent({ kind: 'warning', message });
    for (const message of loaded.warnings) warn(message);
    await writeUnwritten(state.store, packageVersion(), warn);
    const manifest = options.cache ? loaded.manifest : withoutCache(loaded.manifest);
    const prepared = await prepare(io, { ...loaded, manifest }, { pool, store: state.store, onEvent: display.onEvent });
    for (const message of documentNotes(prepared.documents, NOTES_SHOWN)) warn(message);
    return await work(io, { state, display, pool, prepared, recording, moved: globals.out !== null, quiet: globals.quiet, options });
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
  readonly recording: Recording | null;
  /** `--out` was given. */
  readonly moved: boolean;
  readonly quiet: boolean;
  readonly options: RunOptions;
};

/** The endpoints are asked before the run is opened, so that a start that cannot succeed leaves no run behind. */
async function work(io: CliIo, { state, display, pool, prepared, recording, moved, quiet, options }: Tools): Promise<number> {
  const { store, place } = state;
  const { manifest } = prepared;
  const wrap = recording === null ? {} : { wrap: recording.wrap };
  const session = openSession(io, { display, manifest, allowHosts: allowedHosts(io.env, options.allowHost), ...wrap });
  try {
    const toAsk = toCall(manifest, await fatesOf(store, prepared, pool));
    await warnOfCost(io, { store, display, prepared, jobs: toAsk.jobs });
    await session.preflight(toAsk.providers);
    const runId = newRunId();
    const { run, joined } = await enqueue(store, {
      ...prepared,
      runId,
      outDir: resolve(place.runs, runId),
      forceNew: options.new === true,
      moveOut: moved,
    });
    if (options.new === true && !quiet) await tellLeftRun(io, store, run);
    refusePaused(run);
    probeFolder(run.outDir);
    const jobs = prepared.plan.jobs.length;
    display.onEvent({ kind: 'run.started', runId: run.runId, name: run.name, joined, jobs, cached: toAsk.cached, outDir: run.outDir });
    const concurrency = options.concurrency ?? run.manifest.concurrency;
    const record = recording === null ? {} : { beforeOutcome: (ended: RunRow) => recording.save(store, ended) };
    const [exitZero, wait] = [options.exitZero === true, options.wait === true];
    return await execute(io, { store, run, pool, display, session, concurrency, exitZero, wait, ...record });
  } finally {
    await session.close();
  }
}

type CostInput = Pick<Tools, 'display' | 'prepared'> & { readonly store: Store; readonly jobs: readonly NewJob[] };

/** The budget is kept whatever is expected: a run that cannot get through with it is worth a word, not a refusal. */
async function warnOfCost(io: CliIo, { store, display, prepared, jobs }: CostInput): Promise<void> {
  const { manifest, plan } = prepared;
  if (manifest.budget === null) return;
  const { bounds } = await readOutlook(store, { manifest, identity: plan.identity, jobs, nowMs: io.now() });
  const expected = expectedTooMuch(bounds, prepared);
  const warnings = [...(expected === null ? [] : [expected.message]), ...worstTooMuch(bounds, prepared)];
  for (const message of warnings) display.onEvent({ kind: 'warning', message });
}

/** `--no-cache`: other runs' answers are neither taken nor given; within the run nothing is asked twice all the same. */
function withoutCache(manifest: ResolvedManifest): ResolvedManifest {
  return { ...manifest, cache: { ...manifest.cache, mode: 'off' } };
}
