import { LONGEST_WAIT_MS } from '../../../domain/retry.ts';
import type { Waiting } from '../../rows.ts';
import type { RunFacts } from '../../run-facts.ts';
import { earliest, waitingFor, withWaiting } from '../../waiting-text.ts';
import { PLANNING_PAUSE_MS, UNTIL_A_PERSON_ACTS_MS, WARMING_PAUSE_MS } from '../../waits.ts';
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

/** Why a claim that looked at its lanes found nothing to start, and when to look again. */
export async function whyNothing(view: View, run: RunFacts, looks: readonly Look[]): Promise<ClaimReply> {
  const planningUntilMs = run.state === 'planning' ? view.nowMs + PLANNING_PAUSE_MS : null;
  const standing = await view.sql.one<Standing>(STANDING, { runId: run.runId });
  if (standing?.isOpen !== true) {
    return planningUntilMs === null ? { kind: 'drained' } : { kind: 'busy', untilMs: planningUntilMs };
  }
  const warmingUntilMs = looks.some(({ warming }) => warming) ? view.nowMs + WARMING_PAUSE_MS : null;
  const blockedBy = await waitingAt(view, run, looks, COUNTED_BY_CLAIM);
  const untilMs = earliest([planningUntilMs, warmingUntilMs, standing.firstExpiryMs, ...blockedBy.map((waiting) => waiting.untilMs)]);
  return blockedBy.length === 0 ? { kind: 'busy', untilMs } : { kind: 'blocked', blockedBy, untilMs };
}

/** What the run's queued steps wait for: grants that they do not get now, times that have not come, and persons. */
export async function waitingOf(view: View, run: RunFacts): Promise<readonly Waiting[]> {
  return waitingAt(view, run, await lookAtLanes(view, run, { suspectHeld: false }), Number.MAX_SAFE_INTEGER);
}

async function waitingAt(view: View, run: RunFacts, looks: readonly Look[], countedAtMost: number): Promise<readonly Waiting[]> {
  let waiting: readonly Waiting[] = [];
  for (const { lane, admission } of looks) {
    if (admission.kind === 'grant') continue;
    const queued = await queuedOn(view, run.runId, lane.id, countedAtMost);
    if (queued.count === 0) continue;
    const failures = admission.blockedBy === 'fail_fast' ? (await progressOf(view, run.runId)).failed : 0;
    waiting = withWaiting(waiting, waitingFor({ lane, ...queued, failures }, admission));
  }
  const models = await waitingForModels(view, run.runId, countedAtMost);
  const backoff = await parked(view, run.runId, countedAtMost);
  return [...waiting, ...models, ...(backoff === null ? [] : [backoff])];
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
