import { withKeptBound } from '../../../domain/kept-bound.ts';
import { outDirOfJoined } from '../../move-out.ts';
import { changedNeeds } from '../../needs.ts';
import type { NewRun } from '../../plan-rows.ts';
import type { OpenedRun, RunRow, UnreadableRun } from '../../rows.ts';
import { fliesAlone } from '../../run-facts.ts';
import { isReadable, readRun, runOrRefusal, type StoredRun } from '../../stored-run.ts';
import { type Sql, toJsonb } from '../sql.ts';
import { clearPauses } from '../steps/pauses.ts';
import { OF_ANOTHER_DATABASE, THIS_DATABASE } from '../this-database.ts';
import type { Tx } from '../transactor.ts';
import { hintAtWork } from '../work-hint.ts';
import { nameGroup } from './budget.ts';
import { clearArtifacts } from './projections.ts';
import { refuseDeepQueue } from './queue-depth.ts';
import { priceAnew } from './reprice.ts';
import { runFacts } from './run-facts.ts';
import { addLanes, moveToLanes } from './run-lanes.ts';

const SELECT_RUNS = `
SELECT run_id, identity, holds_identity, name, state, manifest_path, manifest, settings, out_dir, ${OF_ANOTHER_DATABASE} AS is_copy, created_at_ms, planned_at_ms, finished_at_ms,
  summary_at_ms, fresh_after_ms, (SELECT v.revision FROM revisions v WHERE v.run_id = r.run_id) AS revision
FROM runs r WHERE pruned_at_ms IS NULL`;

/** Throws `UserError` (exit 8) for one that this version cannot read. */
export async function getRun(sql: Sql, runId: string): Promise<RunRow | null> {
  const row = await sql.one<StoredRun>(`${SELECT_RUNS} AND run_id = :runId`, { runId });
  return row === undefined ? null : runOrRefusal(row);
}

const NEWEST_FIRST = `${SELECT_RUNS} ORDER BY created_at_ms DESC, position DESC`;

/** Those that this version can read, newest first. */
export async function listRuns(sql: Sql): Promise<readonly RunRow[]> {
  return (await allRuns(sql)).filter(isReadable);
}

/** With those that it cannot read, newest first. */
export async function allRuns(sql: Sql): Promise<readonly (RunRow | UnreadableRun)[]> {
  return (await sql.all<StoredRun>(NEWEST_FIRST)).map(readRun);
}

const WITHOUT_FILES = `${SELECT_RUNS}
AND state IN ('finished', 'cancelled') AND (summary_at_ms IS NULL OR EXISTS (
  SELECT 1 FROM jobs j WHERE j.run_id = r.run_id AND j.artifacts_at_ms IS NULL AND j.ended_at_ms IS NOT NULL))
ORDER BY created_at_ms, position`;

/** Ended runs whose summary, or the files of an ended job, are not written or no longer true; oldest first. */
export async function runsWithoutSummary(sql: Sql): Promise<readonly RunRow[]> {
  return (await sql.all<StoredRun>(WITHOUT_FILES)).map(readRun).filter(isReadable);
}

const SELECT_UNFINISHED = `
SELECT run_id FROM runs WHERE identity = :identity AND holds_identity AND state IN ('planning', 'open', 'paused')`;

/** The unfinished run that holds an identity, if there is one. */
export async function holderOf(sql: Sql, identity: string): Promise<string | null> {
  return (await sql.one<{ runId: string }>(SELECT_UNFINISHED, { identity }))?.runId ?? null;
}

const GIVE_UP_IDENTITY = 'UPDATE runs SET holds_identity = false WHERE run_id = :holder';

/** Joins the unfinished run of the same identity, or creates one; `forceNew` takes the identity from the older run first. */
export async function openRun(tx: Tx, run: NewRun): Promise<OpenedRun> {
  const holder = await holderOf(tx.sql, run.identity);
  if (holder !== null && !run.forceNew) return { run: await joinRun(tx, await rowOf(tx.sql, holder), run), joined: true };
  await refuseDeepQueue(tx, run.settings.plannedJobs ?? 0, run.manifest.maxQueueDepth);
  if (holder !== null) tx.sql.sendOne(GIVE_UP_IDENTITY, { holder });
  insertRun(tx, run);
  await prepareLanes(tx, run.runId, run);
  return { run: await rowOf(tx.sql, run.runId), joined: false };
}

/** Gives the run the settings of its newest start. A paused one stays as it is: whoever started it is refused, and has changed nothing. */
async function joinRun(tx: Tx, before: RunRow, run: NewRun): Promise<RunRow> {
  const { runId } = before;
  if (before.state === 'paused') return before;
  await updateSettings(tx, runId, { ...run, ...withKeptBound(run, before.manifest) });
  await priceAnew(tx, await runFacts(tx.sql, runId));
  await prepareLanes(tx, runId, run);
  await moveToLanes(tx, runId, run.lanes);
  return rowOf(tx.sql, runId);
}

async function prepareLanes(tx: Tx, runId: string, { lanes, settings }: NewRun): Promise<void> {
  addLanes(tx, runId, lanes);
  if (settings.budget?.group != null) nameGroup(tx, settings.budget.group);
  await clearPauses(tx, runId);
}

async function rowOf(sql: Sql, runId: string): Promise<RunRow> {
  const row = await getRun(sql, runId);
  if (row === null) throw new Error(`Run ${runId} was not opened`);
  return row;
}

const INSERT_RUN = `
INSERT INTO runs (run_id, identity, holds_identity, name, state, manifest_path, manifest, settings, aggregates, out_dir, written_from,
  created_at_ms, fresh_after_ms)
VALUES (:runId, :identity, true, :name, 'planning', :manifestPath, :manifest, :settings, :aggregates, :outDir, ${THIS_DATABASE},
  :nowMs, CASE WHEN :fresh::boolean THEN :nowMs::bigint END)`;

function insertRun(tx: Tx, run: NewRun): void {
  const { runId, identity, name, manifestPath, outDir } = run;
  tx.sql.send(INSERT_RUN, {
    ...{ runId, identity, name, manifestPath, outDir },
    manifest: JSON.stringify(run.manifest),
    settings: toJsonb(run.settings),
    aggregates: JSON.stringify(run.aggregates),
    fresh: run.settings.cacheMode === 'refresh',
    nowMs: tx.nowMs,
  });
}

// Prices and limits of the newest manifest hold; its jobs are the same, or the identity would differ.
const UPDATE_SETTINGS = `
UPDATE runs SET settings = :settings, manifest = :manifest, fresh_after_ms = CASE WHEN :fresh::boolean THEN created_at_ms END
WHERE run_id = :runId`;

const MOVE_FLIGHTS = `
UPDATE steps SET flight_key = CASE WHEN :alone::boolean THEN key || '|' || run_id ELSE key END
WHERE run_id = :runId AND key IS NOT NULL AND state IN ('waiting', 'queued')
  AND flight_key <> CASE WHEN :alone THEN key || '|' || run_id ELSE key END`;

// The claim looks whether what is cached may be taken; one that may not gets its gate back.
const OPEN_CACHED_GATES = `
UPDATE steps SET gate = NULL, parked = false
WHERE run_id = :runId AND state = 'queued' AND gate IS NOT NULL AND EXISTS (SELECT 1 FROM cache c WHERE c.key = steps.key)`;

const CHANGE_NEEDS = `
UPDATE steps SET requires = :requires
WHERE run_id = :runId AND lane_id IS NOT NULL AND requires <> :requires
  AND EXISTS (SELECT 1 FROM jobs j WHERE j.run_id = steps.run_id AND j.job_id = steps.job_id AND j.task = :task)`;

async function updateSettings(tx: Tx, runId: string, run: NewRun): Promise<void> {
  const mode = run.settings.cacheMode;
  const before = (await runFacts(tx.sql, runId)).settings;
  const mayServe = mode !== 'off' && before.cacheMode !== mode;
  tx.sql.sendOne(UPDATE_SETTINGS, {
    runId,
    settings: toJsonb(run.settings),
    manifest: JSON.stringify(run.manifest),
    fresh: mode === 'refresh',
  });
  tx.sql.send(MOVE_FLIGHTS, { runId, alone: fliesAlone(mode) });
  if (mayServe) tx.sql.send(OPEN_CACHED_GATES, { runId });
  for (const change of changedNeeds(before.requires, run.settings.requires)) tx.sql.send(CHANGE_NEEDS, { runId, ...change });
  if (run.moveOut) await moveOut(tx, runId, run);
  hintAtWork(tx);
}

const MOVE_OUT = `
UPDATE runs SET out_dir = :outDir, written_from = ${THIS_DATABASE} WHERE run_id = :runId AND out_dir <> :outDir`;

/** Files are written anew there. */
async function moveOut(tx: Tx, runId: string, run: NewRun): Promise<void> {
  const moved = await tx.sql.run(MOVE_OUT, { runId, outDir: outDirOfJoined(run, runId) });
  if (moved === 1) clearArtifacts(tx, runId);
}

const MARK_PLANNED = `
UPDATE runs SET state = CASE WHEN state = 'planning' THEN 'open' ELSE state END, planned_at_ms = :nowMs
WHERE run_id = :runId AND state IN ('planning', 'paused') AND planned_at_ms IS NULL`;

/** `planning` → `open`, or a paused run's plan is whole; a run that is past planning stays as it is. */
export function markPlanned(tx: Tx, runId: string): void {
  tx.sql.send(MARK_PLANNED, { runId, nowMs: tx.nowMs });
  hintAtWork(tx);
}

const FINISH = `
UPDATE runs SET state = 'finished', finished_at_ms = :nowMs, summary_at_ms = NULL
WHERE run_id = :runId AND state = 'open' AND planned_at_ms IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM jobs WHERE run_id = :runId AND ended_at_ms IS NULL)
  AND NOT EXISTS (SELECT 1 FROM steps WHERE run_id = :runId AND state = 'running')`;

/** One guarded update, so that exactly one caller finishes a run, and none a half-planned one. */
export async function finishRun(tx: Tx, runId: string): Promise<boolean> {
  return (await tx.sql.run(FINISH, { runId, nowMs: tx.nowMs })) === 1;
}
