import { resolve } from 'node:path';
import { asLeavingWorker } from '../../engine/as-worker.ts';
import { enqueue, openPlanned } from '../../engine/enqueue.ts';
import { areFilesHere } from '../../engine/files-here.ts';
import type { CallSum } from '../../engine/plan-cost.ts';
import type { Pool } from '../../engine/pool.ts';
import { writeUnwritten } from '../../engine/unwritten.ts';
import type { NewWorker } from '../../store/plan-rows.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { RunOptions } from '../commands/options.ts';
import { allowedHosts } from '../config/allow-hosts.ts';
import { newRunId, openState, type State, thisWorker } from '../context.ts';
import { mayShowWords, underPrivacy } from '../display/bare.ts';
import { createDisplay } from '../display/create-display.ts';
import type { Display } from '../display/display.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { selectedOptions } from '../jobs/part-text.ts';
import type { Observation } from '../observe/observation.ts';
import { observed } from '../observe/observed.ts';
import { openPool } from '../open-pool.ts';
import { expectedTooMuch, worstTooMuch } from '../plan/budget-words.ts';
import { documentNotes } from '../plan/document-notes.ts';
import { fatesOf, withoutCache } from '../plan/job-fates.ts';
import { otherRunsNote } from '../plan/other-runs.ts';
import { type CostOutlook, readOutlook } from '../plan/outlook.ts';
import { tallied } from '../plan/plan-tally.ts';
import { type Prepared, prepare, readManifest } from '../plan/prepare.ts';
import { unaskedNotes } from '../plan/unasked-notes.ts';
import { writeHtml } from '../results/html-output.ts';
import { tellStore } from '../told-store.ts';
import { packageVersion } from '../version.ts';
import { beforeStart } from './before-start.ts';
import { conclude } from './conclude.ts';
import { execute } from './execute.ts';
import { changedBoundNote, refuseOtherCacheMode, runOfOthers } from './joins-others.ts';
import { keptBoundNote } from './kept-bound-note.ts';
import { RUN_PATIENCE_MS } from './patience.ts';
import { trustInFile } from './providers.ts';
import { openRecording, type Recording } from './recording.ts';
import { refusePaused } from './refuse-paused.ts';
import { makeRunFolder, openedInFolder, probeRunFolder } from './run-folder.ts';
import { runHere } from './run-here.ts';
import { continueLine } from './run-line.ts';
import { openSession, type Session } from './session.ts';
import { underStop } from './stop.ts';
import { changesInRun, tellChanges } from './tell-changes.ts';
import { tellLeftRun } from './tell-left-run.ts';

/** Things told of the documents; `plan` and the summary have more. */
const NOTES_SHOWN = 10;

/** `aieval run MANIFEST`: plans, opens or joins the run, works on it, writes what came of it. Returns the exit code. */
export async function runCommand(io: CliIo, globals: Globals, argument: string, options: RunOptions): Promise<number> {
  return await observed(io, globals, options, (observation) => evaluate(io, globals, { argument, options, observation }));
}

type Asked = { readonly argument: string; readonly options: RunOptions; readonly observation: Observation };

async function evaluate(io: CliIo, globals: Globals, { argument, options, observation }: Asked): Promise<number> {
  const loaded = await readManifest(io, argument, options);
  const recording = options.record === undefined ? null : await openRecording(io, resolve(io.cwd, options.record));
  const state = await openState(io, {
    ...{ manifestPath: loaded.path, db: globals.db, out: globals.out, mustExist: false },
    onLockRetry: observation.onLockRetry,
    patience: observation.waiting(RUN_PATIENCE_MS),
  });
  await tellStore(io, globals, state.place.db);
  const display = observation.display(underPrivacy(await createDisplay(globals, io), io, loaded.manifest), state.store, 'told');
  const pool = openPool();
  try {
    const warn = (message: string): void => display.onEvent({ kind: 'warning', message });
    for (const message of loaded.warnings) warn(message);
    await writeUnwritten(state.store, packageVersion(), warn, writeHtml);
    const manifest = options.cache ? loaded.manifest : withoutCache(loaded.manifest);
    const tools = { pool, store: state.store, onEvent: display.onEvent };
    const told = { quiet: globals.quiet, store: state.store };
    const prepared = await beforeStart(io, told, () => prepare(io, { ...loaded, manifest }, tools, options));
    const notes = documentNotes(prepared.documents, NOTES_SHOWN, mayShowWords(io, display.streams ?? [], manifest));
    for (const message of [...prepared.plan.warnings, ...notes]) warn(message);
    if (prepared.selected === null && !globals.quiet) {
      for (const note of unaskedNotes(loaded)) io.stderr.write(`note: ${note}\n`);
    }
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
async function work(io: CliIo, tools: Tools): Promise<number> {
  const { display, prepared, recording, quiet, options } = tools;
  const { store } = tools.state;
  const { manifest } = prepared;
  // Until there is a session a signal ends the process at once: nothing is there yet that could be left half done.
  const tally = await tallied(manifest, await store.outputMeans(), fatesOf(store, prepared, tools.pool));
  const { total } = await lookAhead(io, { store, display, prepared, sums: tally.sums() });
  const notes = quiet ? [] : await otherRunsNote(store, { manifest, identity: prepared.plan.identity });
  for (const note of notes) io.stderr.write(`note: ${note}\n`);
  const session = openSession(io, {
    display,
    manifest,
    started: { manifestPath: prepared.manifestPath },
    trust: trustInFile(allowedHosts(io.env, options.allowHost)),
    ...(recording === null ? {} : { wrap: recording.wrap }),
  });
  try {
    await beforeStart(io, { quiet, store }, () => session.preflight(tally.providers()));
    const stopped = session.stop.exitCode();
    if (stopped === null)
      return await startRun(io, { ...tools, session, cached: tally.counts().cached, expectedNanoUsd: total.expectedNanoUsd });
    if (!quiet) io.stderr.write('note: no run was started\n');
    return stopped;
  } finally {
    await session.close();
  }
}

type Starting = Tools & { readonly session: Session; readonly cached: number; readonly expectedNanoUsd: number | null };

async function startRun(io: CliIo, starting: Starting): Promise<number> {
  const { state, prepared, moved, quiet, options } = starting;
  const { store, place } = state;
  const runId = newRunId();
  const outDir = resolve(place.runs, runId);
  const ofOthers = options.new === true ? null : await runOfOthers(store, prepared.plan.identity);
  if (ofOthers !== null) await beforeStart(io, { quiet, store }, async () => refuseOtherCacheMode(ofOthers, prepared.manifest));
  const { run, joined } = await openedInFolder(store, outDir, () =>
    openPlanned(store, {
      ...prepared,
      runId,
      outDir,
      forceNew: options.new === true,
      moveOut: moved,
      selection: prepared.selected?.selection ?? null,
      profile: options.profile,
    }),
  );
  io.notes.runId = run.runId;
  if (options.new === true && !quiet) await tellLeftRun(io, store, run);
  refusePaused(run);
  if (moved || !joined) makeRunFolder(run);
  else probeRunFolder(store, run);
  const bounds = [keptBoundNote(run, prepared.manifest), ofOthers === null ? null : changedBoundNote(ofOthers, run)];
  for (const note of bounds) if (note !== null && !quiet) io.stderr.write(`note: ${note}\n`);
  // From now on others see that more of its plan comes.
  const worker = { ...thisWorker(io, run.runId, options.tags ?? []), plans: true };
  return await asLeavingWorker(store, worker, () => enqueueAndWork(io, { ...starting, run, joined, worker }));
}

type Opened = Starting & { readonly run: RunRow; readonly joined: boolean; readonly worker: NewWorker };

async function enqueueAndWork(io: CliIo, opened: Opened): Promise<number> {
  const { state, display, pool, prepared, recording, options, session, run, worker } = opened;
  const { store } = state;
  const { stop } = session;
  const startedAtMs = io.now();
  const part = { store, run, display, exitZero: options.exitZero === true, startedWith: prepared.manifestPath };
  const goOn = continueLine(runHere(run, part), io.cwd);
  if (!(await underStop(stop, { store, goOn }, () => enqueue(store, run, prepared, stop.signals.stop)))) {
    await store.removeWorker(worker.workerId);
    const [end, nowMs] = [{ kind: 'interrupted' } as const, io.now()];
    return await conclude({ ...part, stop, end, withFiles: false, durationMs: nowMs - startedAtMs, nowMs });
  }
  await tellStart(io, opened);
  const concurrency = options.concurrency ?? run.manifest.concurrency;
  const record = recording === null ? {} : { beforeOutcome: (ended: RunRow) => recording.save(store, ended) };
  return await execute(io, { ...part, worker, pool, session, concurrency, wait: options.wait === true, ...record });
}

async function tellStart(io: CliIo, { state, display, prepared, quiet, run, joined, cached, expectedNanoUsd }: Opened): Promise<void> {
  const { store } = state;
  const input = { store, prepared, run, reused: cached };
  const changed = joined ? null : await changesInRun(input);
  if (changed !== null && !quiet) await tellChanges(io, input, changed);
  const { runId, name, outDir } = run;
  const filesHere = areFilesHere({ store, run });
  const { selected } = prepared;
  display.onEvent({
    ...{
      kind: 'run.started',
      runId,
      name,
      joined,
      jobs: prepared.plan.counts.jobs,
      results: prepared.plan.counts.results,
      cached,
      plan: { expectedNanoUsd, budgetNanoUsd: run.settings.budget?.nanoUsd ?? null },
      outDir,
      filesHere,
    },
    ...(selected === null ? {} : { selected: { ...selected, options: selectedOptions(selected) } }),
    ...(changed === null ? {} : { since: { runId: changed.runId, changes: changed.changes, reused: cached } }),
  });
}

type CostInput = Pick<Tools, 'display' | 'prepared'> & { readonly store: Store; readonly sums: readonly CallSum[] };

/** The budget is kept whatever is expected: a run that cannot get through with it is worth a word, not a refusal. */
async function lookAhead(io: CliIo, { store, display, prepared, sums }: CostInput): Promise<CostOutlook> {
  const { manifest, plan } = prepared;
  const outlook = await readOutlook(store, { manifest, identity: plan.identity, sums, nowMs: io.now() });
  const expected = expectedTooMuch(outlook.bounds, prepared);
  const warnings = [...(expected === null ? [] : [expected.message]), ...worstTooMuch(outlook.bounds, prepared)];
  for (const message of warnings) display.onEvent({ kind: 'warning', message });
  return outlook;
}
