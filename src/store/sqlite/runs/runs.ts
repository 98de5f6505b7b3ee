import type { Json } from '../../../domain/canonical-json.ts';
import { withKeptBound } from '../../../domain/kept-bound.ts';
import { outDirOfJoined } from '../../move-out.ts';
import { changedNeeds } from '../../needs.ts';
import type { NewLane, NewRun } from '../../plan-rows.ts';
import type { OpenedRun, RunRow, UnreadableRun } from '../../rows.ts';
import { fliesAlone } from '../../run-facts.ts';
import { isReadable, readRun, runOrRefusal, type StoredRun } from '../../stored-run.ts';
import { fromJson, type Sql } from '../sql.ts';
import { clearPauses } from '../steps/pauses.ts';
import type { Tx } from '../transactor.ts';
import { nameGroup } from './budget.ts';
import { clearArtifacts } from './projections.ts';
import { refuseDeepQueue } from './queue-depth.ts';
import { priceAnew } from './reprice.ts';
import { runFacts } from './run-facts.ts';

type Row = Omit<RunRow, 'manifest' | 'settings' | 'holdsIdentity'> & {
  readonly manifest: string;
  readonly settings: string;
  readonly holdsIdentity: number;
};

const SELECT_RUNS = `
SELECT run_id AS runId, identity, holds_identity AS holdsIdentity, name, state, manifest_path AS manifestPath, manifest, settings, out_dir AS outDir,
  created_at_ms AS createdAtMs, planned_at_ms AS plannedAtMs, finished_at_ms AS finishedAtMs, summary_at_ms AS summaryAtMs,
  fresh_after_ms AS freshAfterMs, (SELECT revision FROM revisions v WHERE v.run_id = runs.run_id) AS revision
FROM runs WHERE pruned_at_ms IS NULL`;

/** Throws `UserError` (exit 8) for one that this version cannot read. */
export function getRun(sql: Sql, runId: string): RunRow | null {
  const row = sql.one<Row>(`${SELECT_RUNS} AND run_id = :runId`, { runId });
  return row === undefined ? null : runOrRefusal(storedRun(row));
}

const NEWEST_FIRST = `${SELECT_RUNS} ORDER BY created_at_ms DESC, rowid DESC`;

/** Those that this version can read, newest first. */
export function listRuns(sql: Sql): readonly RunRow[] {
  return allRuns(sql).filter(isReadable);
}

/** With those that it cannot read, newest first. */
export function allRuns(sql: Sql): readonly (RunRow | UnreadableRun)[] {
  return sql.all<Row>(NEWEST_FIRST).map((row) => readRun(storedRun(row)));
}

const WITHOUT_FILES = `${SELECT_RUNS}
AND state IN ('finished', 'cancelled') AND (summary_at_ms IS NULL OR EXISTS (
  SELECT 1 FROM jobs j WHERE j.run_id = runs.run_id AND j.artifacts_at_ms IS NULL AND j.ended_at_ms IS NOT NULL))
ORDER BY created_at_ms, rowid`;

/** Ended runs whose summary, or the files of an ended job, are not written or no longer true; oldest first. */
export function runsWithoutSummary(sql: Sql): readonly RunRow[] {
  return sql
    .all<Row>(WITHOUT_FILES)
    .map((row) => readRun(storedRun(row)))
    .filter(isReadable);
}

function storedRun(row: Row): StoredRun {
  const { manifest, settings } = row;
  return { ...row, holdsIdentity: row.holdsIdentity === 1, manifest: fromJson<Json>(manifest), settings: fromJson<Json>(settings) };
}

const SELECT_UNFINISHED = `
SELECT run_id AS runId FROM runs
WHERE identity = :identity AND holds_identity = 1 AND state IN ('planning', 'open', 'paused')`;

/** The unfinished run that holds an identity, if there is one. */
export function holderOf(sql: Sql, identity: string): string | null {
  return sql.one<{ runId: string }>(SELECT_UNFINISHED, { identity })?.runId ?? null;
}

/** Joins the unfinished run of the same identity, or creates one; `forceNew` takes the identity from the older run first. */
export function openRun(tx: Tx, run: NewRun): OpenedRun {
  const holder = holderOf(tx.sql, run.identity);
  if (holder !== null && !run.forceNew) return { run: joinRun(tx, rowOf(tx.sql, holder), run), joined: true };
  refuseDeepQueue(tx, run.settings.plannedJobs ?? 0, run.manifest.maxQueueDepth);
  if (holder !== null) tx.sql.runOne('UPDATE runs SET holds_identity = 0 WHERE run_id = :holder', { holder });
  insertRun(tx, run);
  prepareLanes(tx, run.runId, run);
  return { run: rowOf(tx.sql, run.runId), joined: false };
}

/** Gives the run the settings of its newest start. A paused one stays as it is: whoever started it is refused, and has changed nothing. */
function joinRun(tx: Tx, before: RunRow, run: NewRun): RunRow {
  const { runId } = before;
  if (before.state === 'paused') return before;
  updateSettings(tx, runId, { ...run, ...withKeptBound(run, before.manifest) });
  priceAnew(tx, runId);
  prepareLanes(tx, runId, run);
  moveToLanes(tx, runId, run.lanes);
  return rowOf(tx.sql, runId);
}

function prepareLanes(tx: Tx, runId: string, { lanes, settings }: NewRun): void {
  for (const lane of lanes) addLane(tx, runId, lane);
  if (settings.budget?.group != null) nameGroup(tx, settings.budget.group);
  clearPauses(tx, runId);
}

function rowOf(sql: Sql, runId: string): RunRow {
  const row = getRun(sql, runId);
  if (row === null) throw new Error(`Run ${runId} was not opened`);
  return row;
}

const INSERT_RUN = `
INSERT INTO runs (run_id, identity, holds_identity, name, state, manifest_path, manifest, settings, aggregates, out_dir, created_at_ms,
  fresh_after_ms, written_from)
VALUES (:runId, :identity, 1, :name, 'planning', :manifestPath, :manifest, :settings, :aggregates, :outDir, :nowMs,
  iif(:fresh, :nowMs, NULL), (SELECT file FROM pragma_database_list WHERE name = 'main'))`;

function insertRun(tx: Tx, run: NewRun): void {
  const { runId, identity, name, manifestPath, outDir } = run;
  tx.sql.run(INSERT_RUN, {
    ...{ runId, identity, name, manifestPath, outDir },
    manifest: JSON.stringify(run.manifest),
    settings: JSON.stringify(run.settings),
    aggregates: JSON.stringify(run.aggregates),
    fresh: Number(run.settings.cacheMode === 'refresh'),
    nowMs: tx.nowMs,
  });
}

// Prices and limits of the newest manifest hold; its jobs are the same, or the identity would differ.
const UPDATE_SETTINGS = `
UPDATE runs SET settings = :settings, manifest = :manifest, fresh_after_ms = iif(:fresh, created_at_ms, NULL) WHERE run_id = :runId`;

const MOVE_FLIGHTS = `
UPDATE steps SET flight_key = iif(:alone, key || '|' || run_id, key)
WHERE run_id = :runId AND key IS NOT NULL AND state IN ('waiting', 'queued') AND flight_key <> iif(:alone, key || '|' || run_id, key)`;

// The claim looks whether what is cached may be taken; one that may not gets its gate back.
const OPEN_CACHED_GATES = `
UPDATE steps SET gate = NULL, parked = 0
WHERE run_id = :runId AND state = 'queued' AND gate IS NOT NULL AND EXISTS (SELECT 1 FROM cache c WHERE c.key = steps.key)`;

const CHANGE_NEEDS = `
UPDATE steps SET requires = :requires
WHERE run_id = :runId AND lane_id IS NOT NULL AND requires <> :requires
  AND EXISTS (SELECT 1 FROM jobs j WHERE j.run_id = steps.run_id AND j.job_id = steps.job_id AND j.task = :task)`;

function updateSettings(tx: Tx, runId: string, run: NewRun): void {
  const mode = run.settings.cacheMode;
  const before = runFacts(tx.sql, runId).settings;
  const mayServe = mode !== 'off' && before.cacheMode !== mode;
  tx.sql.runOne(UPDATE_SETTINGS, {
    runId,
    settings: JSON.stringify(run.settings),
    manifest: JSON.stringify(run.manifest),
    fresh: Number(mode === 'refresh'),
  });
  tx.sql.run(MOVE_FLIGHTS, { runId, alone: Number(fliesAlone(mode)) });
  if (mayServe) tx.sql.run(OPEN_CACHED_GATES, { runId });
  for (const change of changedNeeds(before.requires, run.settings.requires)) tx.sql.run(CHANGE_NEEDS, { runId, ...change });
  if (run.moveOut === true) moveOut(tx, runId, run);
}

const MOVE_OUT = `
UPDATE runs SET out_dir = :outDir, written_from = (SELECT file FROM pragma_database_list WHERE name = 'main')
WHERE run_id = :runId AND out_dir <> :outDir`;

/** Files are written anew there. */
function moveOut(tx: Tx, runId: string, run: NewRun): void {
  const outDir = outDirOfJoined(run, runId);
  if (tx.sql.run(MOVE_OUT, { runId, outDir }) === 1) clearArtifacts(tx, runId);
}

// Once a lane is seen to keep prompts in a cache it is known to.
const ADD_LANE = `
INSERT INTO lanes (lane_id, account_id, label) VALUES (:laneId, :accountId, :label)
ON CONFLICT (lane_id) DO UPDATE SET account_id = excluded.account_id, label = excluded.label`;
const CACHES_PROMPTS = `UPDATE lanes SET pace = json_set(pace, '$.cachesPrompts', json('true')) WHERE lane_id = :laneId`;
const ADD_RUN_LANE = `
INSERT INTO run_lanes (run_id, lane_id, concurrency, requests_per_minute, tokens_per_minute, token_accounting, adaptive)
VALUES (:runId, :laneId, :concurrency, :requestsPerMinute, :tokensPerMinute, :tokenAccounting, :adaptive)
ON CONFLICT (run_id, lane_id) DO UPDATE SET concurrency = excluded.concurrency, requests_per_minute = excluded.requests_per_minute,
  tokens_per_minute = excluded.tokens_per_minute, token_accounting = excluded.token_accounting, adaptive = excluded.adaptive`;

function addLane(tx: Tx, runId: string, lane: NewLane): void {
  const { laneId, accountId, label, concurrency, requestsPerMinute, tokensPerMinute, tokenAccounting } = lane;
  tx.sql.run(ADD_LANE, { laneId, accountId, label });
  if (lane.cachesPrompts) tx.sql.run(CACHES_PROMPTS, { laneId });
  const limits = { concurrency, requestsPerMinute, tokensPerMinute, tokenAccounting, adaptive: Number(lane.adaptive) };
  tx.sql.run(ADD_RUN_LANE, { runId, laneId, ...limits });
}

const HAS_OTHER_LANES = `
SELECT 1 AS found FROM run_lanes WHERE run_id = :runId AND lane_id NOT IN (SELECT value FROM json_each(:laneIds)) LIMIT 1`;
const MOVE_STEPS = `
UPDATE steps SET lane_id = :laneId, gate = iif(gate IS NULL, NULL, :laneId)
WHERE run_id = :runId AND state <> 'running' AND lane_id <> :laneId AND EXISTS (
  SELECT 1 FROM jobs j
  WHERE j.run_id = steps.run_id AND j.job_id = steps.job_id AND j.state IN ('queued', 'running')
    AND j.model IN (SELECT value FROM json_each(:models)))`;

/** The key, the group or the endpoint's name changed since the run was planned: what is still to be asked, and what follows from answers that are there, draws on the lane of today. */
function moveToLanes(tx: Tx, runId: string, lanes: readonly NewLane[]): void {
  const laneIds = JSON.stringify(lanes.map(({ laneId }) => laneId));
  if (tx.sql.one(HAS_OTHER_LANES, { runId, laneIds }) === undefined) return;
  for (const { laneId, models } of lanes) tx.sql.run(MOVE_STEPS, { runId, laneId, models: JSON.stringify(models) });
}

const MARK_PLANNED = `
UPDATE runs SET state = iif(state = 'planning', 'open', state), planned_at_ms = :nowMs
WHERE run_id = :runId AND state IN ('planning', 'paused') AND planned_at_ms IS NULL`;

/** `planning` → `open`, or a paused run's plan is whole; a run that is past planning stays as it is. */
export function markPlanned(tx: Tx, runId: string): void {
  tx.sql.run(MARK_PLANNED, { runId, nowMs: tx.nowMs });
}

const FINISH = `
UPDATE runs SET state = 'finished', finished_at_ms = :nowMs, summary_at_ms = NULL
WHERE run_id = :runId AND state = 'open' AND planned_at_ms IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM jobs WHERE run_id = :runId AND state IN ('queued', 'running'))
  AND NOT EXISTS (SELECT 1 FROM steps WHERE run_id = :runId AND state = 'running')`;

/** One guarded update, so that exactly one caller finishes a run, and none a half-planned one. */
export function finishRun(tx: Tx, runId: string): boolean {
  return tx.sql.run(FINISH, { runId, nowMs: tx.nowMs }) === 1;
}
