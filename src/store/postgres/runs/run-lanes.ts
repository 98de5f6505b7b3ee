import type { NewLane } from '../../plan-rows.ts';
import type { Tx } from '../transactor.ts';

// Once a lane is seen to keep prompts in a cache it is known to.
const ADD_LANE = `
INSERT INTO lanes AS l (lane_id, account_id, label, pace)
VALUES (:laneId, :accountId, :label, CASE WHEN :cachesPrompts::boolean THEN jsonb_build_object('cachesPrompts', true) ELSE '{}' END)
ON CONFLICT (lane_id) DO UPDATE SET account_id = excluded.account_id, label = excluded.label, pace = l.pace || excluded.pace`;
const ADD_RUN_LANE = `
INSERT INTO run_lanes (run_id, lane_id, concurrency, requests_per_minute, tokens_per_minute, token_accounting, adaptive)
VALUES (:runId, :laneId, :concurrency, :requestsPerMinute, :tokensPerMinute, :tokenAccounting, :adaptive)
ON CONFLICT (run_id, lane_id) DO UPDATE SET concurrency = excluded.concurrency, requests_per_minute = excluded.requests_per_minute,
  tokens_per_minute = excluded.tokens_per_minute, token_accounting = excluded.token_accounting, adaptive = excluded.adaptive`;

/** The run's lanes, in the order in which lanes are locked. */
export function addLanes(tx: Tx, runId: string, lanes: readonly NewLane[]): void {
  for (const lane of [...lanes].sort((a, b) => (a.laneId < b.laneId ? -1 : 1))) addLane(tx, runId, lane);
}

function addLane(tx: Tx, runId: string, lane: NewLane): void {
  const { laneId, accountId, label, cachesPrompts, concurrency, requestsPerMinute, tokensPerMinute, tokenAccounting, adaptive } = lane;
  tx.sql.send(ADD_LANE, { laneId, accountId, label, cachesPrompts });
  tx.sql.send(ADD_RUN_LANE, { runId, laneId, concurrency, requestsPerMinute, tokensPerMinute, tokenAccounting, adaptive });
}

const HAS_OTHER_LANES = `
SELECT 1 AS found FROM run_lanes WHERE run_id = :runId AND lane_id <> ALL (:laneIds::text[]) LIMIT 1`;
const MOVE_STEPS = `
UPDATE steps SET lane_id = :laneId, gate = CASE WHEN gate IS NULL THEN NULL ELSE :laneId END
WHERE run_id = :runId AND state <> 'running' AND lane_id <> :laneId AND EXISTS (
  SELECT 1 FROM jobs j
  WHERE j.run_id = steps.run_id AND j.job_id = steps.job_id AND j.state IN ('queued', 'running') AND j.model = ANY (:models::text[]))`;

/** The key, the group or the endpoint's name changed since the run was planned: what is still to be asked, and what follows from answers that are there, draws on the lane of today. */
export async function moveToLanes(tx: Tx, runId: string, lanes: readonly NewLane[]): Promise<void> {
  const laneIds = lanes.map(({ laneId }) => laneId);
  if ((await tx.sql.one(HAS_OTHER_LANES, { runId, laneIds })) === undefined) return;
  for (const { laneId, models } of lanes) tx.sql.send(MOVE_STEPS, { runId, laneId, models });
}
