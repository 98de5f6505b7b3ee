import type { LaneState, Totals } from '../../domain/admit.ts';
import type { Failure, Reason } from '../../domain/reason.ts';
import type { RunFacts } from './run-facts.ts';
import type { Sql } from './sql.ts';
import type { Tx } from './transactor.ts';

/** A lane as `admit` sees it, and what to say of it. */
export type Lane = LaneState & { readonly pausedReason: Reason | null; readonly pausedMessage: string | null };

type LaneRow = Omit<Lane, 'running'>;
type RunningRow = { readonly runId: string; readonly laneId: string; readonly running: number };

// Of several manifests that use a lane, the lowest limit holds.
const SELECT_LANES = `
SELECT l.lane_id AS id, l.paused_reason AS pausedReason, l.paused_message AS pausedMessage, l.cooldown_until_ms AS cooldownUntilMs,
  min(own.concurrency, coalesce((
    SELECT min(o.concurrency) FROM run_lanes o JOIN runs r ON r.run_id = o.run_id
    WHERE o.lane_id = l.lane_id AND r.state IN ('planning', 'open', 'paused')), own.concurrency)) AS concurrency
FROM run_lanes own JOIN lanes l ON l.lane_id = own.lane_id
WHERE own.run_id = :runId ORDER BY l.lane_id`;

// Only steps that took grants count: a gate that is open costs no slot.
const COUNT_RUNNING = `
SELECT run_id AS runId, gate AS laneId, count(*) AS running FROM steps
WHERE state = 'running' AND gate IS NOT NULL GROUP BY run_id, gate`;

const MAX_RUNNING = `SELECT value FROM settings WHERE name = 'maxRunning'`;

/** All that `admit` asks of the store: the run's lanes and what runs, over all processes. */
export function loadLanes(sql: Sql, run: RunFacts): { readonly lanes: readonly Lane[]; readonly totals: Totals } {
  const running = sql.all<RunningRow>(COUNT_RUNNING);
  const lanes = sql.all<LaneRow>(SELECT_LANES, { runId: run.runId });
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

const COOL = `UPDATE lanes SET cooldown_until_ms = max(cooldown_until_ms, :untilMs) WHERE lane_id = :laneId`;

/** The server asked to wait: no process sends anything there before. */
export function coolLane(tx: Tx, laneId: string, untilMs: number): void {
  tx.sql.runOne(COOL, { laneId, untilMs });
}

const CLEAR_PAUSES = `
UPDATE lanes SET paused_reason = NULL, paused_message = NULL
WHERE paused_reason IS NOT NULL AND lane_id IN (SELECT lane_id FROM run_lanes WHERE run_id = :runId)`;

/** A person started the run again, so what had paused its lanes may be mended. */
export function clearPauses(tx: Tx, runId: string): void {
  tx.sql.run(CLEAR_PAUSES, { runId });
}
