import { MISSED_BEATS, SLOWEST_BEAT_MS } from '../../../domain/lease.ts';
import { LONGEST_WAIT_MS } from '../../../domain/retry.ts';
import { foreignNeeds, unmetNeeds, waitingForTags } from '../../needs.ts';
import type { Waiting } from '../../rows.ts';
import type { RunFacts } from '../../run-facts.ts';
import { earliest, waitingFor, withWaiting } from '../../waiting-text.ts';
import { PLANNER_STARTS_MS, PLANNING_PAUSE_MS, UNTIL_A_PERSON_ACTS_MS, WARMING_PAUSE_MS } from '../../waits.ts';
import type { ClaimReply } from '../../work.ts';
import { progressOf } from '../runs/progress.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { View } from '../transactor.ts';
import { pausedModels } from './pauses.ts';
import { type Look, lookAtLanes } from './queue.ts';

/** A claim only needs to know that something waits: it must not count a long queue while it holds its locks. */
const COUNTED_BY_CLAIM = 1000;

// An open job has an open step; an ended one may have a step that still runs. A lease that runs out may free a slot, or a key, wherever it
// is held.
const STANDING = `
SELECT EXISTS (SELECT 1 FROM jobs WHERE run_id = :runId AND ended_at_ms IS NULL)
    OR EXISTS (SELECT 1 FROM steps WHERE run_id = :runId AND state = 'running') AS is_open,
  (SELECT min(lease_expires_at_ms) FROM steps WHERE state = 'running') AS first_expiry_ms`;

type Standing = { readonly isOpen: boolean; readonly firstExpiryMs: number | null };

/** What a claim saw, and what its worker has. */
type Looked = { readonly looks: readonly Look[]; readonly tags: readonly string[] };

/** Why a claim that looked at its lanes found nothing to start, and when to look again. */
export async function whyNothing(view: View, run: RunFacts, { looks, tags }: Looked): Promise<ClaimReply> {
  const planningUntilMs = run.state === 'planning' && (await isBeingPlanned(view, run.runId)) ? view.nowMs + PLANNING_PAUSE_MS : null;
  const standing = await view.sql.one<Standing>(STANDING, { runId: run.runId });
  if (standing?.isOpen !== true) {
    if (planningUntilMs !== null) return { kind: 'busy', untilMs: planningUntilMs };
    return { kind: run.state === 'planning' ? 'unplanned' : 'drained' };
  }
  const warmingUntilMs = looks.some(({ warming }) => warming) ? view.nowMs + WARMING_PAUSE_MS : null;
  const blockedBy = await waitingAt(view, run, { looks, tags, isAlone: false }, COUNTED_BY_CLAIM);
  const untilMs = earliest([planningUntilMs, warmingUntilMs, standing.firstExpiryMs, ...blockedBy.map((waiting) => waiting.untilMs)]);
  return blockedBy.length === 0 ? { kind: 'busy', untilMs } : { kind: 'blocked', blockedBy, untilMs };
}

const PLANNER = `
SELECT 1 AS found FROM workers WHERE run_id = :runId AND plans AND beat_at_ms > :nowMs::bigint - ${MISSED_BEATS * SLOWEST_BEAT_MS}
UNION ALL
SELECT 1 FROM runs WHERE run_id = :runId AND created_at_ms > :nowMs::bigint - ${PLANNER_STARTS_MS}
LIMIT 1`;

/** Whether somebody lives who adds the jobs that are missing: only who was started with the manifest has them. */
async function isBeingPlanned({ sql, nowMs }: View, runId: string): Promise<boolean> {
  return (await sql.one(PLANNER, { runId, nowMs })) !== undefined;
}

/** What the run's queued steps wait for: grants that they do not get now, times that have not come, and persons. */
export async function waitingOf(view: View, run: RunFacts, asker: readonly string[] | null): Promise<readonly Waiting[]> {
  const looks = await lookAtLanes(view, run, { suspectHeld: false, tags: null });
  return waitingAt(view, run, { looks, tags: asker, isAlone: asker !== null }, Number.MAX_SAFE_INTEGER);
}

/** `tags`: of who asks; `null`: nobody's, then what no living worker has is missing. `isAlone`: no other worker counts. */
type Seen = { readonly looks: readonly Look[]; readonly tags: readonly string[] | null; readonly isAlone: boolean };

async function waitingAt(view: View, run: RunFacts, { looks, tags, isAlone }: Seen, countedAtMost: number): Promise<readonly Waiting[]> {
  let waiting: readonly Waiting[] = [];
  for (const { lane, admission } of looks) {
    if (admission.kind === 'grant') continue;
    const queued = await queuedOn(view, run.runId, lane.id, countedAtMost);
    if (queued.count === 0) continue;
    const failures = admission.blockedBy === 'fail_fast' ? (await progressOf(view, run.runId)).failed : 0;
    waiting = withWaiting(waiting, waitingFor({ lane, ...queued, failures }, admission));
  }
  const open = looks.filter(({ admission }) => admission.kind === 'grant').map(({ lane }) => lane.id);
  const workers = await waitingForWorkers(view, run, { tags, isAlone, lanes: open, atMost: countedAtMost });
  const models = await waitingForModels(view, run.runId, countedAtMost);
  const backoff = await parked(view, run.runId, countedAtMost);
  return [...waiting, ...workers, ...models, ...(backoff === null ? [] : [backoff])];
}

const LIVING = `
SELECT tags FROM workers WHERE (run_id = :runId OR run_id IS NULL) AND beat_at_ms > :nowMs::bigint - ${MISSED_BEATS * SLOWEST_BEAT_MS}`;

const COUNT_NEEDING = `
SELECT n.need, sum(q.count) AS count FROM unnest(:needs::text[]) AS n (need) CROSS JOIN unnest(:lanes::text[]) AS l (lane_id)
CROSS JOIN LATERAL (SELECT count(*) AS count FROM (
  SELECT 1 FROM steps WHERE run_id = :runId AND state = 'queued' AND NOT parked AND gate = l.lane_id AND requires = n.need
  ORDER BY order_ms, seq, step_id LIMIT :atMost) s) q
GROUP BY n.need HAVING sum(q.count) > 0 ORDER BY n.need`;

type Needing = Pick<Seen, 'tags' | 'isAlone'> & { readonly lanes: readonly string[]; readonly atMost: number };

/** Steps on lanes that would let them go, if somebody were there who may ask them. */
async function waitingForWorkers(
  { sql, nowMs }: View,
  { runId, settings }: RunFacts,
  { tags, isAlone, lanes, atMost }: Needing,
): Promise<readonly Waiting[]> {
  if (foreignNeeds(settings.requires, tags).length === 0) return [];
  const living = isAlone ? [] : await sql.all<{ tags: readonly string[] }>(LIVING, { runId, nowMs });
  const needs = unmetNeeds(
    settings.requires,
    tags,
    living.map((row) => row.tags),
  );
  if (needs.length === 0) return [];
  const rows = await sql.all<{ need: string; count: number }>(COUNT_NEEDING, { runId, needs, lanes, atMost });
  return rows.map(({ need, count }) => waitingForTags(need, count));
}

const QUEUED = `
SELECT (SELECT label FROM lanes WHERE lane_id = :laneId) AS label, (SELECT count(*) FROM (
  SELECT 1 FROM steps WHERE run_id = :runId AND state = 'queued' AND NOT parked AND gate = :laneId LIMIT :atMost) q) AS count`;

async function queuedOn(view: View, runId: string, laneId: string, atMost: number): Promise<{ label: string | null; count: number }> {
  return (await view.sql.one<{ label: string | null; count: number }>(QUEUED, { runId, laneId, atMost })) ?? { label: null, count: 0 };
}

const COUNT_PARKED_FOR_GOOD = `
SELECT model, count(*) AS count FROM (
  SELECT (SELECT j.model FROM jobs j WHERE j.run_id = s.run_id AND j.job_id = s.job_id) AS model FROM steps s
  WHERE s.run_id = :runId AND s.state = 'queued' AND s.parked AND s.run_at_ms = ${UNTIL_A_PERSON_ACTS_MS} LIMIT :atMost) p
GROUP BY model`;

/** Steps of models that nothing is asked of. */
async function waitingForModels(view: View, runId: string, atMost: number): Promise<readonly Waiting[]> {
  const models = await pausedModels(view.sql, runId);
  if (models.length === 0) return [];
  const rows = await view.sql.all<{ model: string; count: number }>(COUNT_PARKED_FOR_GOOD, { runId, atMost });
  const counts = new Map(rows.map(({ model, count }) => [model, count]));
  return models.flatMap(({ model, reason, message }) => {
    const count = counts.get(model) ?? 0;
    return count === 0 ? [] : [{ why: 'model_paused' as const, laneId: null, count, untilMs: null, reason, message }];
  });
}

const PARKED = `
SELECT count(*) AS count, min(run_at_ms) AS until_ms FROM (
  SELECT run_at_ms FROM steps
  WHERE run_id = :runId AND state = 'queued' AND parked AND run_at_ms > :nowMs::bigint AND run_at_ms <= :nowMs + :longestWaitMs::bigint
  ORDER BY run_at_ms LIMIT :atMost) p`;

async function parked(view: View, runId: string, atMost: number): Promise<Waiting | null> {
  const row = await view.sql.one<{ count: number; untilMs: number | null }>(PARKED, {
    ...{ runId, atMost },
    nowMs: view.nowMs,
    longestWaitMs: LONGEST_WAIT_MS,
  });
  if (row === undefined || row.count === 0) return null;
  return { why: 'backoff', laneId: null, count: row.count, untilMs: row.untilMs, message: null };
}

export const WAITING_STATEMENTS: StoredTexts = { rows: { STANDING, QUEUED, PARKED } };
