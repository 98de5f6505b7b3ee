import { admit } from '../../../domain/admit.ts';
import { LONGEST_WAIT_MS } from '../../../domain/retry.ts';
import type { Waiting } from '../../rows.ts';
import type { ClaimReply } from '../../work.ts';
import type { RunFacts } from '../runs/run-facts.ts';
import type { View } from '../transactor.ts';
import { type Lane, loadLanes } from './lanes.ts';

/** A claim only needs to know that something waits: it must not count a long queue under the write lock. */
const COUNTED_BY_CLAIM = 1000;

/** A planner is still adding jobs: look again soon. */
const PLANNING_PAUSE_MS = 1000;

// An open job has an open step; an ended one may have a step that still runs.
const OPEN = `
SELECT 1 AS found FROM jobs WHERE run_id = :runId AND state IN ('queued', 'running')
UNION ALL
SELECT 1 FROM steps WHERE run_id = :runId AND state = 'running'
LIMIT 1`;

/** Why a claim found nothing to start, and when to look again. */
export function whyNothing(view: View, run: RunFacts): ClaimReply {
  const planningUntilMs = run.state === 'planning' ? view.nowMs + PLANNING_PAUSE_MS : null;
  if (view.sql.one(OPEN, { runId: run.runId }) === undefined) {
    return planningUntilMs === null ? { kind: 'drained' } : { kind: 'busy', untilMs: planningUntilMs };
  }
  const blockedBy = waitingOf(view, run, COUNTED_BY_CLAIM);
  const untilMs = earliest([planningUntilMs, firstExpiry(view), ...blockedBy.map((waiting) => waiting.untilMs)]);
  return blockedBy.length === 0 ? { kind: 'busy', untilMs } : { kind: 'blocked', blockedBy, untilMs };
}

/** What the run's queued steps wait for: grants that their lanes do not give now, and times that have not come. */
export function waitingOf(view: View, run: RunFacts, countedAtMost = Number.MAX_SAFE_INTEGER): readonly Waiting[] {
  const { lanes, totals } = loadLanes(view, run);
  const blocked: Waiting[] = [];
  for (const lane of lanes) {
    const admission = admit(view.nowMs, lane, totals);
    if (admission.kind === 'grant') continue;
    const count = countQueued(view, run.runId, lane.id, countedAtMost);
    if (count > 0) addWaiting(blocked, waitingFor(lane, admission, count));
  }
  const backoff = parked(view, run.runId, countedAtMost);
  return backoff === null ? blocked : [...blocked, backoff];
}

function waitingFor(lane: Lane, admission: { blockedBy: Waiting['why']; untilMs: number | null }, count: number): Waiting {
  const ofLane = admission.blockedBy.startsWith('lane_');
  return {
    why: admission.blockedBy,
    laneId: ofLane ? lane.id : null,
    count,
    untilMs: admission.untilMs,
    message: admission.blockedBy === 'lane_paused' ? lane.pausedMessage : null,
  };
}

/** Caps over all lanes are one entry, however many lanes wait for them. */
function addWaiting(list: Waiting[], waiting: Waiting): void {
  const same = waiting.laneId === null ? list.findIndex((other) => other.why === waiting.why) : -1;
  const other = list[same];
  if (other === undefined) list.push(waiting);
  else list[same] = { ...other, count: other.count + waiting.count };
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

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}
