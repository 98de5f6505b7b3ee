import { MISSED_BEATS, SLOWEST_BEAT_MS } from '../../../domain/lease.ts';
import { LONGEST_WAIT_MS } from '../../../domain/retry.ts';
import { foreignNeeds, unmetNeeds, waitingForTags } from '../../needs.ts';
import type { Waiting } from '../../rows.ts';
import type { RunFacts } from '../../run-facts.ts';
import { earliest, waitingFor, withWaiting } from '../../waiting-text.ts';
import { PLANNER_STARTS_MS, PLANNING_PAUSE_MS, UNTIL_A_PERSON_ACTS_MS, WARMING_PAUSE_MS } from '../../waits.ts';
import type { ClaimReply } from '../../work.ts';
import { failures } from '../runs/progress.ts';
import { fromJson } from '../sql.ts';
import type { View } from '../transactor.ts';
import { pausedModels } from './pauses.ts';
import { type Look, lookAtLanes } from './queue.ts';

/** A claim only needs to know that something waits: it must not count a long queue under the write lock. */
const COUNTED_BY_CLAIM = 1000;

// An open job has an open step; an ended one may have a step that still runs.
const OPEN = `
SELECT 1 AS found FROM jobs WHERE run_id = :runId AND state IN ('queued', 'running')
UNION ALL
SELECT 1 FROM steps WHERE run_id = :runId AND state = 'running'
LIMIT 1`;

/** What a claim saw, and what its worker has. */
type Looked = { readonly looks: readonly Look[]; readonly tags: readonly string[] };

/** Why a claim that looked at its lanes found nothing to start, and when to look again. */
export function whyNothing(view: View, run: RunFacts, { looks, tags }: Looked): ClaimReply {
  const planningUntilMs = run.state === 'planning' && isBeingPlanned(view, run.runId) ? view.nowMs + PLANNING_PAUSE_MS : null;
  if (view.sql.one(OPEN, { runId: run.runId }) === undefined) {
    if (planningUntilMs !== null) return { kind: 'busy', untilMs: planningUntilMs };
    return { kind: run.state === 'planning' ? 'unplanned' : 'drained' };
  }
  const warmingUntilMs = looks.some(({ warming }) => warming) ? view.nowMs + WARMING_PAUSE_MS : null;
  const blockedBy = waitingAt(view, run, { looks, tags, isAlone: false }, COUNTED_BY_CLAIM);
  const untilMs = earliest([planningUntilMs, warmingUntilMs, firstExpiry(view), ...blockedBy.map((waiting) => waiting.untilMs)]);
  return blockedBy.length === 0 ? { kind: 'busy', untilMs } : { kind: 'blocked', blockedBy, untilMs };
}

const PLANNER = `
SELECT 1 AS found FROM workers WHERE run_id = :runId AND plans = 1 AND beat_at_ms > :nowMs - ${MISSED_BEATS * SLOWEST_BEAT_MS}
UNION ALL
SELECT 1 FROM runs WHERE run_id = :runId AND created_at_ms > :nowMs - ${PLANNER_STARTS_MS}
LIMIT 1`;

/** Whether somebody lives who adds the jobs that are missing: only who was started with the manifest has them. */
function isBeingPlanned({ sql, nowMs }: View, runId: string): boolean {
  return sql.one(PLANNER, { runId, nowMs }) !== undefined;
}

/** What the run's queued steps wait for: grants that they do not get now, times that have not come, and persons. */
export function waitingOf(view: View, run: RunFacts, asker: readonly string[] | null): readonly Waiting[] {
  const looks = lookAtLanes(view, run, { suspectHeld: 0, tags: null });
  return waitingAt(view, run, { looks, tags: asker, isAlone: asker !== null }, Number.MAX_SAFE_INTEGER);
}

/** `tags`: of who asks; `null`: nobody's, then what no living worker has is missing. `isAlone`: no other worker counts. */
type Seen = { readonly looks: readonly Look[]; readonly tags: readonly string[] | null; readonly isAlone: boolean };

function waitingAt(view: View, run: RunFacts, { looks, tags, isAlone }: Seen, countedAtMost: number): readonly Waiting[] {
  let waiting: readonly Waiting[] = [];
  for (const { lane, admission } of looks) {
    if (admission.kind === 'grant') continue;
    const count = countQueued(view, run.runId, lane.id, countedAtMost);
    const waiter = () => ({ lane, label: labelOf(view, lane.id), count, failures: failures(view, run.runId) });
    if (count > 0) waiting = withWaiting(waiting, waitingFor(waiter(), admission));
  }
  const open = looks.filter(({ admission }) => admission.kind === 'grant').map(({ lane }) => lane.id);
  waiting = [...waiting, ...waitingForWorkers(view, run, { tags, isAlone, lanes: open, atMost: countedAtMost })];
  const backoff = parked(view, run.runId, countedAtMost);
  return [...waiting, ...waitingForModels(view, run.runId, countedAtMost), ...(backoff === null ? [] : [backoff])];
}

const LIVING = `
SELECT DISTINCT tags FROM workers WHERE (run_id = :runId OR run_id IS NULL) AND beat_at_ms > :nowMs - ${MISSED_BEATS * SLOWEST_BEAT_MS}`;

const COUNT_NEEDING = `
SELECT count(*) AS count FROM (
  SELECT 1 FROM steps WHERE run_id = :runId AND state = 'queued' AND parked = 0 AND gate = :laneId AND requires = :need LIMIT :atMost)`;

type Needing = Pick<Seen, 'tags' | 'isAlone'> & { readonly lanes: readonly string[]; readonly atMost: number };

/** Steps on lanes that would let them go, if somebody were there who may ask them. */
function waitingForWorkers(
  { sql, nowMs }: View,
  { runId, settings }: RunFacts,
  { tags, isAlone, lanes, atMost }: Needing,
): readonly Waiting[] {
  if (foreignNeeds(settings.requires, tags).length === 0) return [];
  const rows = isAlone ? [] : sql.all<{ tags: string }>(LIVING, { runId, nowMs });
  const living = rows.map((row) => fromJson<readonly string[]>(row.tags));
  return unmetNeeds(settings.requires, tags, living).flatMap((need) => {
    const counts = lanes.map((laneId) => sql.one<{ count: number }>(COUNT_NEEDING, { runId, laneId, need, atMost })?.count ?? 0);
    const count = counts.reduce((sum, each) => sum + each, 0);
    return count === 0 ? [] : [waitingForTags(need, count)];
  });
}

const LABEL = `SELECT label FROM lanes WHERE lane_id = :laneId`;

function labelOf({ sql }: View, laneId: string): string | null {
  return sql.one<{ label: string }>(LABEL, { laneId })?.label ?? null;
}

const COUNT_PARKED_FOR_GOOD = `
SELECT model, count(*) AS count FROM (
  SELECT (SELECT j.model FROM jobs j WHERE j.run_id = s.run_id AND j.job_id = s.job_id) AS model FROM steps s
  WHERE s.run_id = :runId AND s.state = 'queued' AND s.parked = 1 AND s.run_at_ms = ${UNTIL_A_PERSON_ACTS_MS} LIMIT :atMost)
GROUP BY model`;

/** Steps of models that nothing is asked of. */
function waitingForModels(view: View, runId: string, atMost: number): Waiting[] {
  const models = pausedModels(view.sql, runId);
  if (models.length === 0) return [];
  const counts = new Map(
    view.sql.all<{ model: string; count: number }>(COUNT_PARKED_FOR_GOOD, { runId, atMost }).map(({ model, count }) => [model, count]),
  );
  return models.flatMap(({ model, reason, message }) => {
    const count = counts.get(model) ?? 0;
    return count === 0 ? [] : [{ why: 'model_paused' as const, laneId: null, count, untilMs: null, reason, message }];
  });
}

const COUNT_QUEUED = `
SELECT count(*) AS count FROM (
  SELECT 1 FROM steps WHERE run_id = :runId AND state = 'queued' AND parked = 0 AND gate = :laneId LIMIT :atMost)`;

function countQueued(view: View, runId: string, laneId: string, atMost: number): number {
  return view.sql.one<{ count: number }>(COUNT_QUEUED, { runId, laneId, atMost })?.count ?? 0;
}

const PARKED = `
SELECT count(*) AS count, min(runAtMs) AS untilMs FROM (
  SELECT run_at_ms AS runAtMs FROM steps
  WHERE run_id = :runId AND state = 'queued' AND parked = 1 AND run_at_ms > :nowMs AND run_at_ms <= :nowMs + :longestWaitMs
  ORDER BY run_at_ms LIMIT :atMost)`;

function parked(view: View, runId: string, atMost: number): Waiting | null {
  const row = view.sql.one<{ count: number; untilMs: number | null }>(PARKED, {
    ...{ runId, atMost },
    nowMs: view.nowMs,
    longestWaitMs: LONGEST_WAIT_MS,
  });
  if (row === undefined || row.count === 0) return null;
  return { why: 'backoff', laneId: null, count: row.count, untilMs: row.untilMs, message: null };
}

const FIRST_EXPIRY = `SELECT min(lease_expires_at_ms) AS untilMs FROM steps WHERE state = 'running'`;

/** A lease that runs out may free a slot, or a key, wherever it is held. */
function firstExpiry(view: View): number | null {
  return view.sql.one<{ untilMs: number | null }>(FIRST_EXPIRY)?.untilMs ?? null;
}
