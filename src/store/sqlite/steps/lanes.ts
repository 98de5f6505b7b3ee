import type { Totals } from '../../../domain/admit.ts';
import type { LanePace, LanePause, LaneState, TokenAccounting } from '../../../domain/lane/lane.ts';
import { paceFrom } from '../../../domain/lane/pace.ts';
import { MISSED_BEATS } from '../../../domain/lease.ts';
import type { Reason } from '../../../domain/reason.ts';
import type { RunFacts } from '../../run-facts.ts';
import { budgetUse } from '../runs/budget.ts';
import { failedEnough } from '../runs/progress.ts';
import { fromJson } from '../sql.ts';
import type { Tx, View } from '../transactor.ts';

type LaneRow = {
  readonly id: string;
  readonly concurrency: number;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly tokenAccounting: TokenAccounting;
  readonly adaptive: 0 | 1;
  readonly pausedReason: Reason | null;
  readonly pausedMessage: string | null;
  readonly pausedUntilMs: number | null;
  readonly pace: string;
};

const BEATS = `
r.state IN ('planning', 'open', 'paused') AND w.beat_at_ms > :nowMs - :missedBeats * (r.settings ->> '$.lease.beatMs')`;

// Runs that someone works on, and the one that asks: few, however many are over. A worker without a run takes any.
const AT_WORK = `
SELECT :runId AS run_id
UNION SELECT run_id FROM steps WHERE state = 'running'
UNION SELECT r.run_id FROM workers w CROSS JOIN runs r ON r.run_id = w.run_id WHERE ${BEATS}
UNION SELECT r.run_id FROM (SELECT max(beat_at_ms) AS beat_at_ms FROM workers WHERE run_id IS NULL) w
  CROSS JOIN runs r INDEXED BY runs_unfinished WHERE w.beat_at_ms IS NOT NULL AND ${BEATS}`;

// Of several manifests that use a lane, the lowest limit holds, and of two ways to count the one that counts more ('reserved', the later
// word), as long as someone works on them: an abandoned run limits nobody.
const SELECT_LANES = `
WITH at_work AS (${AT_WORK})
SELECT l.lane_id AS id, l.paused_reason AS pausedReason, l.paused_message AS pausedMessage, l.paused_until_ms AS pausedUntilMs, l.pace,
  min(o.concurrency) AS concurrency, min(o.requests_per_minute) AS requestsPerMinute, min(o.tokens_per_minute) AS tokensPerMinute,
  max(o.token_accounting) AS tokenAccounting, max(o.adaptive) AS adaptive
FROM at_work CROSS JOIN run_lanes own CROSS JOIN run_lanes o ON o.run_id = at_work.run_id AND o.lane_id = own.lane_id
  CROSS JOIN lanes l ON l.lane_id = own.lane_id
WHERE own.run_id = :runId AND (:laneId IS NULL OR own.lane_id = :laneId)
GROUP BY l.lane_id ORDER BY l.lane_id`;

// Only steps that took grants count: a gate that is open costs no slot.
const COUNT_RUNNING = `
SELECT run_id AS runId, gate AS laneId, count(*) AS running FROM steps
WHERE state = 'running' AND gate IS NOT NULL GROUP BY run_id, gate`;

type RunningRow = { readonly runId: string; readonly laneId: string; readonly running: number };

const MAX_RUNNING = `SELECT value FROM settings WHERE name = 'maxRunning'`;

/** All that `admit` asks of the store: the run's lanes and what runs, over all processes. */
export function loadLanes(view: View, run: RunFacts): { readonly lanes: readonly LaneState[]; readonly totals: Totals } {
  const running = view.sql.all<RunningRow>(COUNT_RUNNING);
  const runRunning = sum(running, (row) => row.runId === run.runId);
  return {
    lanes: selectLanes(view, run, null, running),
    totals: {
      runRunning,
      runConcurrency: run.settings.runConcurrency,
      storeRunning: sum(running, () => true),
      storeMaximum: view.sql.one<{ value: number }>(MAX_RUNNING)?.value ?? null,
      failedEnough: failedEnough(view, run),
      budget: budgetUse(view, run, runRunning > 0),
    },
  };
}

/** One lane of the run. */
export function loadLane(view: View, run: RunFacts, laneId: string): LaneState {
  const [lane] = selectLanes(view, run, laneId, view.sql.all<RunningRow>(COUNT_RUNNING));
  if (lane === undefined) throw new Error(`Run ${run.runId} has no lane ${laneId}`);
  return lane;
}

function selectLanes({ sql, nowMs }: View, { runId }: RunFacts, laneId: string | null, running: readonly RunningRow[]): LaneState[] {
  const rows = sql.all<LaneRow>(SELECT_LANES, { runId, laneId, nowMs, missedBeats: MISSED_BEATS });
  return rows.map((row) =>
    laneOf(
      row,
      sum(running, (other) => other.laneId === row.id),
    ),
  );
}

function laneOf(row: LaneRow, running: number): LaneState {
  const { id, concurrency, requestsPerMinute, tokensPerMinute, tokenAccounting } = row;
  return {
    id,
    running,
    limits: { concurrency, requestsPerMinute, tokensPerMinute, tokenAccounting, adaptive: row.adaptive === 1 },
    pause: pauseOf(row),
    pace: paceFrom(fromJson<Partial<LanePace>>(row.pace)),
  };
}

function pauseOf({ pausedReason, pausedMessage, pausedUntilMs }: LaneRow): LanePause | null {
  if (pausedReason === null || pausedMessage === null) return null;
  return { reason: pausedReason, message: pausedMessage, untilMs: pausedUntilMs };
}

function sum(rows: readonly RunningRow[], matches: (row: RunningRow) => boolean): number {
  return rows.filter(matches).reduce((total, row) => total + row.running, 0);
}

const SAVE_PACE = `UPDATE lanes SET pace = :pace WHERE lane_id = :laneId`;

/** What the lane has learnt holds for every process from this commit on. */
export function savePace(tx: Tx, lane: LaneState, pace: LanePace): void {
  if (pace !== lane.pace) tx.sql.runOne(SAVE_PACE, { laneId: lane.id, pace: JSON.stringify(pace) });
}
