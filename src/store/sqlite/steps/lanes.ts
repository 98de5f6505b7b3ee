import type { LaneState, Totals } from '../../../domain/admit.ts';
import { MISSED_BEATS } from '../../../domain/lease.ts';
import type { Failure, Reason } from '../../../domain/reason.ts';
import { afterRateLimit, type LaneRefusals } from '../../../domain/retry.ts';
import type { RunFacts } from '../runs/run-facts.ts';
import type { Tx, View } from '../transactor.ts';
import type { CallStep } from './step-row.ts';

/** A lane as `admit` sees it, and what to say of it. */
export type Lane = LaneState & { readonly pausedReason: Reason | null; readonly pausedMessage: string | null };

type LaneRow = Omit<Lane, 'running'>;
type RunningRow = { readonly runId: string; readonly laneId: string; readonly running: number };

// Of several manifests that use a lane, the lowest limit holds, as long as someone works on them: an abandoned run limits nobody.
const SELECT_LANES = `
SELECT l.lane_id AS id, l.paused_reason AS pausedReason, l.paused_message AS pausedMessage, l.cooldown_until_ms AS cooldownUntilMs,
  min(own.concurrency, coalesce((
    SELECT min(o.concurrency) FROM run_lanes o JOIN runs r ON r.run_id = o.run_id
    WHERE o.lane_id = l.lane_id AND o.run_id <> :runId AND (
      EXISTS (SELECT 1 FROM steps s WHERE s.run_id = o.run_id AND s.state = 'running')
      OR r.state IN ('planning', 'open', 'paused') AND EXISTS (
        SELECT 1 FROM workers
        WHERE (workers.run_id = o.run_id OR workers.run_id IS NULL)
          AND workers.beat_at_ms > :nowMs - :missedBeats * (r.settings ->> '$.lease.beatMs')))), own.concurrency)) AS concurrency
FROM run_lanes own JOIN lanes l ON l.lane_id = own.lane_id
WHERE own.run_id = :runId ORDER BY l.lane_id`;

// Only steps that took grants count: a gate that is open costs no slot.
const COUNT_RUNNING = `
SELECT run_id AS runId, gate AS laneId, count(*) AS running FROM steps
WHERE state = 'running' AND gate IS NOT NULL GROUP BY run_id, gate`;

const MAX_RUNNING = `SELECT value FROM settings WHERE name = 'maxRunning'`;

/** All that `admit` asks of the store: the run's lanes and what runs, over all processes. */
export function loadLanes({ sql, nowMs }: View, run: RunFacts): { readonly lanes: readonly Lane[]; readonly totals: Totals } {
  const running = sql.all<RunningRow>(COUNT_RUNNING);
  const lanes = sql.all<LaneRow>(SELECT_LANES, { runId: run.runId, nowMs, missedBeats: MISSED_BEATS });
  const sum = (matches: (row: RunningRow) => boolean) => running.filter(matches).reduce((total, row) => total + row.running, 0);
  return {
    lanes: lanes.map((lane) => ({ ...lane, running: sum((row) => row.laneId === lane.id) })),
    totals: {
      runRunning: sum((row) => row.runId === run.runId),
      runConcurrency: run.settings.runConcurrency,
      storeRunning: sum(() => true),
      storeMaximum: sql.one<{ value: number }>(MAX_RUNNING)?.value ?? null,
    },
  };
}

const PAUSE = `UPDATE lanes SET paused_reason = :reason, paused_message = :message WHERE lane_id = :laneId`;

/** Nothing sent there can succeed until a person acts. */
export function pauseLane(tx: Tx, laneId: string, failure: Failure): void {
  tx.sql.runOne(PAUSE, { laneId, reason: failure.reason, message: failure.message });
}

const REFUSALS = `SELECT rate_failures AS rateFailures, rate_failed_at_ms AS rateFailedAtMs FROM lanes WHERE lane_id = :laneId`;
const COOL = `
UPDATE lanes SET cooldown_until_ms = max(cooldown_until_ms, :untilMs), rate_failures = :rateFailures, rate_failed_at_ms = :rateFailedAtMs
WHERE lane_id = :laneId`;

/** The server wants fewer calls: no process sends anything there for a while. */
export function restLane(tx: Tx, step: CallStep, { retryAfterMs = 0 }: Failure): void {
  const { laneId } = step;
  const refusals = tx.sql.one<LaneRefusals>(REFUSALS, { laneId });
  if (refusals === undefined) throw new Error(`No lane ${laneId}`);
  const call = { askedAtMs: step.leasedAtMs ?? tx.nowMs, nowMs: tx.nowMs, retryAfterMs, random: tx.random() };
  const { restMs, ...counted } = afterRateLimit(refusals, call);
  tx.sql.runOne(COOL, { laneId, untilMs: tx.nowMs + restMs, ...counted });
}

const SERVES = `
UPDATE lanes SET rate_failures = 0 WHERE lane_id = :laneId AND rate_failures > 0 AND rate_failed_at_ms < :askedAtMs`;

/** A call asked after the last refusal was answered: the next refusal is a first one again. */
export function noteLaneServes(tx: Tx, step: CallStep): void {
  tx.sql.run(SERVES, { laneId: step.laneId, askedAtMs: step.leasedAtMs ?? tx.nowMs });
}

const CLEAR_PAUSES = `
UPDATE lanes SET paused_reason = NULL, paused_message = NULL
WHERE paused_reason IS NOT NULL AND lane_id IN (SELECT lane_id FROM run_lanes WHERE run_id = :runId)`;

/** A person started the run again, so what had paused its lanes may be mended. */
export function clearPauses(tx: Tx, runId: string): void {
  tx.sql.run(CLEAR_PAUSES, { runId });
}
