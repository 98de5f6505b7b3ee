import type { LanePause } from '../../../domain/lane/lane.ts';
import type { Failure, Reason } from '../../../domain/reason.ts';
import { pausesModel } from '../../paused-scope.ts';
import type { Paused } from '../../work.ts';
import { startAnew } from '../runs/progress.ts';
import type { Sql } from '../sql.ts';
import type { Tx } from '../transactor.ts';
import { parkModel, unparkModels } from './parking.ts';
import type { CallStep } from './step-row.ts';

const PAUSE_LANE = `
UPDATE lanes SET paused_reason = :reason, paused_message = :message, paused_until_ms = :untilMs
WHERE lane_id = :laneId AND (paused_reason IS NULL OR paused_until_ms < :untilMs)`;

/** Nothing is sent on the lane until a time. A pause that ends later, or only by a person, stays; then `null`. */
export function pauseLane(tx: Tx, laneId: string, pause: LanePause): Paused | null {
  return tx.sql.run(PAUSE_LANE, { laneId, ...pause }) === 0 ? null : { ...pause, scope: 'lane' };
}

const PAUSE_ACCOUNT = `
UPDATE lanes SET paused_reason = :reason, paused_message = :message, paused_until_ms = NULL
WHERE lane_id = :laneId OR (account_id <> '' AND account_id = (SELECT account_id FROM lanes WHERE lane_id = :laneId))`;

const PAUSE_MODEL = `
INSERT INTO paused_models (run_id, model, reason, message) VALUES (:runId, :model, :reason, :message)
ON CONFLICT (run_id, model) DO UPDATE SET reason = excluded.reason, message = excluded.message`;

/** A fatal failure: until a person acts nothing is sent for that model of the run, or on any lane of the endpoint and key. */
export function pauseFor(tx: Tx, step: CallStep, { reason, message }: Failure): Paused {
  const pause = { reason, message, untilMs: null };
  if (!pausesModel(reason)) {
    tx.sql.run(PAUSE_ACCOUNT, { laneId: step.laneId, reason, message });
    return { ...pause, scope: 'account' };
  }
  const { runId, model } = step;
  tx.sql.run(PAUSE_MODEL, { runId, model, reason, message });
  parkModel(tx, runId, model);
  return { ...pause, scope: 'model' };
}

export type PausedModel = { readonly model: string; readonly reason: Reason; readonly message: string };

const PAUSED_MODELS = `SELECT model, reason, message FROM paused_models WHERE run_id = :runId ORDER BY model`;

/** Models of the run that nothing is asked of until a person acts. */
export function pausedModels(sql: Sql, runId: string): readonly PausedModel[] {
  return sql.all<PausedModel>(PAUSED_MODELS, { runId });
}

// What was learnt of limits stays, and so does a rest that the server wants: only its troubles may be over.
const FORGET_TROUBLES = `
UPDATE lanes SET pace = json_remove(iif(:all = 1, json_remove(pace, '$.refusals'), pace), '$.breaker', '$.troubleSinceMs')
WHERE lane_id IN (SELECT lane_id FROM run_lanes WHERE run_id = :runId)`;

// A provider that named a time is taken at its word, whoever starts what meanwhile.
const OPEN_LANES = `
UPDATE lanes SET paused_reason = NULL, paused_message = NULL, paused_until_ms = NULL
WHERE lane_id IN (SELECT lane_id FROM run_lanes WHERE run_id = :runId) AND paused_reason IS NOT NULL
  AND (:all = 1 OR paused_until_ms IS NULL OR paused_until_ms <= :nowMs OR paused_reason <> 'rate_limited')`;

const CLEAR_MODELS = `DELETE FROM paused_models WHERE run_id = :runId`;

/** A person started the run again, so what had paused it may be mended, and failures count from here on. */
export function clearPauses(tx: Tx, runId: string): void {
  openLanes(tx, runId, { all: false });
  startAnew(tx, runId);
}

/** Nothing that the run needs is paused any more, with `all` not even by a provider's own word. True when something was. */
export function openLanes(tx: Tx, runId: string, { all }: { readonly all: boolean }): boolean {
  tx.sql.run(FORGET_TROUBLES, { runId, all: Number(all) });
  const lanes = tx.sql.run(OPEN_LANES, { runId, all: Number(all), nowMs: tx.nowMs });
  const models = tx.sql.run(CLEAR_MODELS, { runId });
  if (models > 0) unparkModels(tx, runId);
  return lanes + models > 0;
}
