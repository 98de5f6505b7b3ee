import type { Totals } from '../../../domain/admit.ts';
import type { LanePace, LanePause, LaneState, TokenAccounting } from '../../../domain/lane/lane.ts';
import { paceFrom } from '../../../domain/lane/pace.ts';
import { MISSED_BEATS } from '../../../domain/lease.ts';
import type { Reason } from '../../../domain/reason.ts';
import type { RunFacts } from '../../run-facts.ts';
import { budgetUse } from '../runs/budget.ts';
import { progressOf } from '../runs/progress.ts';
import { toJsonb } from '../sql.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { Tx, View } from '../transactor.ts';

type LaneRow = {
  readonly id: string;
  readonly running: number;
  readonly concurrency: number;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly tokenAccounting: TokenAccounting;
  readonly adaptive: boolean;
  readonly pausedReason: Reason | null;
  readonly pausedMessage: string | null;
  readonly pausedUntilMs: number | null;
  readonly pace: Partial<LanePace>;
};

const BEATS = `
r.state IN ('planning', 'open', 'paused') AND w.beat_at_ms > :nowMs - :missedBeats * (r.settings #>> '{lease,beatMs}')::bigint`;

// Runs that someone works on, and the one that asks: few, however many are over. A worker without a run takes any.
const AT_WORK = `
SELECT :runId AS run_id
UNION SELECT run_id FROM steps WHERE state = 'running'
UNION SELECT r.run_id FROM workers w JOIN runs r ON r.run_id = w.run_id WHERE ${BEATS}
UNION SELECT r.run_id FROM (SELECT max(beat_at_ms) AS beat_at_ms FROM workers WHERE run_id IS NULL) w
  CROSS JOIN runs r WHERE w.beat_at_ms IS NOT NULL AND ${BEATS}`;

// Of several manifests that use a lane, the lowest limit holds, and of two ways to count the one that counts more ('reserved', the later
// word), as long as someone works on them: an abandoned run limits nobody. Only steps that took grants count as running: a gate that is
// open costs no slot.
const SELECT_LANES = `
WITH at_work AS MATERIALIZED (${AT_WORK}),
limits AS (
  SELECT own.lane_id, min(o.concurrency) AS concurrency, min(o.requests_per_minute) AS requests_per_minute,
    min(o.tokens_per_minute) AS tokens_per_minute, max(o.token_accounting) AS token_accounting, bool_or(o.adaptive) AS adaptive
  FROM run_lanes own JOIN run_lanes o ON o.lane_id = own.lane_id
  WHERE own.run_id = :runId AND (:laneId::text IS NULL OR own.lane_id = :laneId) AND o.run_id IN (SELECT a.run_id FROM at_work a)
  GROUP BY own.lane_id)
SELECT l.lane_id AS id, l.paused_reason, l.paused_message, l.paused_until_ms, l.pace, m.concurrency, m.requests_per_minute,
  m.tokens_per_minute, m.token_accounting, m.adaptive,
  (SELECT count(*) FROM steps s WHERE s.state = 'running' AND s.gate = l.lane_id) AS running
FROM limits m JOIN lanes l ON l.lane_id = m.lane_id ORDER BY l.lane_id`;

const SELECT_TOTALS = `
SELECT count(*) FILTER (WHERE run_id = :runId) AS run_running, count(*) AS store_running,
  (SELECT value FROM settings WHERE name = 'maxRunning') AS store_maximum
FROM steps WHERE state = 'running' AND gate IS NOT NULL`;

type TotalsRow = { readonly runRunning: number; readonly storeRunning: number; readonly storeMaximum: number | null };

/** All that `admit` asks of the store: the run's lanes and what runs, over all processes. */
export async function loadLanes(view: View, run: RunFacts): Promise<{ readonly lanes: readonly LaneState[]; readonly totals: Totals }> {
  const [lanes, totals] = await Promise.all([selectLanes(view, run, null), totalsOf(view, run)]);
  return { lanes, totals };
}

async function totalsOf(view: View, run: RunFacts): Promise<Totals> {
  const [row, progress, use] = await Promise.all([
    view.sql.one<TotalsRow>(SELECT_TOTALS, { runId: run.runId }),
    progressOf(view, run.runId),
    budgetUse(view, run),
  ]);
  if (row === undefined) throw new Error('Nothing was counted');
  const { failFast, runConcurrency } = run.settings;
  return {
    ...row,
    runConcurrency,
    failedEnough: failFast !== null && progress.failed >= failFast.afterFailures,
    budget: use === null ? null : { ...use, activeMs: progress.activeMs, inFlight: use.inFlight || row.runRunning > 0 },
  };
}

/** One lane of the run. */
export async function loadLane(view: View, run: RunFacts, laneId: string): Promise<LaneState> {
  const [lane] = await selectLanes(view, run, laneId);
  if (lane === undefined) throw new Error(`Run ${run.runId} has no lane ${laneId}`);
  return lane;
}

async function selectLanes({ sql, nowMs }: View, { runId }: RunFacts, laneId: string | null): Promise<LaneState[]> {
  return (await sql.all<LaneRow>(SELECT_LANES, { runId, laneId, nowMs, missedBeats: MISSED_BEATS })).map(laneOf);
}

function laneOf(row: LaneRow): LaneState {
  const { id, running, concurrency, requestsPerMinute, tokensPerMinute, tokenAccounting, adaptive } = row;
  return {
    id,
    running,
    limits: { concurrency, requestsPerMinute, tokensPerMinute, tokenAccounting, adaptive },
    pause: pauseOf(row),
    pace: paceFrom(row.pace),
  };
}

function pauseOf({ pausedReason, pausedMessage, pausedUntilMs }: LaneRow): LanePause | null {
  if (pausedReason === null || pausedMessage === null) return null;
  return { reason: pausedReason, message: pausedMessage, untilMs: pausedUntilMs };
}

const SAVE_PACE = `UPDATE lanes SET pace = :pace WHERE lane_id = :laneId`;

/** What the lane has learnt holds for every process from this commit on. */
export function savePace(tx: Tx, lane: LaneState, pace: LanePace): void {
  if (pace !== lane.pace) tx.sql.sendOne(SAVE_PACE, { laneId: lane.id, pace: toJsonb(pace) });
}

export const LANES_STATEMENTS: StoredTexts = { rows: { SELECT_LANES, SELECT_TOTALS }, changes: { SAVE_PACE } };
