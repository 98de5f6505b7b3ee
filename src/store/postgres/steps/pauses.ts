import type { LanePause } from '../../../domain/lane/lane.ts';
import type { Failure, Reason } from '../../../domain/reason.ts';
import { pausesModel } from '../../paused-scope.ts';
import type { Paused } from '../../work.ts';
import { startAnew } from '../runs/progress.ts';
import type { Sql } from '../sql.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { Tx } from '../transactor.ts';
import { parkModel, unparkModels } from './parking.ts';
import type { CallStep } from './step-row.ts';

const PAUSE_LANE = `
UPDATE lanes SET paused_reason = :reason, paused_message = :message, paused_until_ms = :untilMs
WHERE lane_id = :laneId AND (paused_reason IS NULL OR paused_until_ms < :untilMs)`;

/** Nothing is sent on the lane until a time. A pause that ends later, or only by a person, stays; then `null`. */
export async function pauseLane(tx: Tx, laneId: string, pause: LanePause): Promise<Paused | null> {
  const paused = await tx.sql.run(PAUSE_LANE, { laneId, ...pause });
  return paused === 0 ? null : { ...pause, scope: 'lane' };
}

const PAUSE_ACCOUNT = `
UPDATE lanes SET paused_reason = :reason, paused_message = :message, paused_until_ms = NULL
WHERE lane_id = :laneId OR (account_id <> '' AND account_id = (SELECT account_id FROM lanes WHERE lane_id = :laneId))`;

const PAUSE_MODEL = `
INSERT INTO paused_models (run_id, model, reason, message) VALUES (:runId, :model, :reason, :message)
ON CONFLICT (run_id, model) DO UPDATE SET reason = excluded.reason, message = excluded.message`;

/** A fatal failure: until a person acts nothing is sent for that model of the run, or on any lane of the endpoint and key. */
export async function pauseFor(tx: Tx, step: CallStep, { reason, message }: Failure): Promise<Paused> {
  const pause = { reason, message, untilMs: null };
  if (!pausesModel(reason)) {
    tx.sql.send(PAUSE_ACCOUNT, { laneId: step.laneId, reason, message });
    return { ...pause, scope: 'account' };
  }
  const { runId, model } = step;
  tx.sql.send(PAUSE_MODEL, { runId, model, reason, message });
  parkModel(tx, runId, model);
  return { ...pause, scope: 'model' };
}

export type PausedModel = { readonly model: string; readonly reason: Reason; readonly message: string };

const PAUSED_MODELS = `SELECT model, reason, message FROM paused_models WHERE run_id = :runId ORDER BY model`;

/** Models of the run that nothing is asked of until a person acts. */
export function pausedModels(sql: Sql, runId: string): Promise<readonly PausedModel[]> {
  return sql.all<PausedModel>(PAUSED_MODELS, { runId });
}

// What was learnt of limits stays, and so does a rest that the server wants: only its troubles may be over.
const FORGET_TROUBLES = `
UPDATE lanes SET pace = (CASE WHEN :all::boolean THEN pace - 'refusals' ELSE pace END) - 'breaker' - 'troubleSinceMs'
WHERE lane_id IN (SELECT lane_id FROM run_lanes WHERE run_id = :runId)`;

// A provider that named a time is taken at its word, whoever starts what meanwhile.
const OPEN_LANES = `
UPDATE lanes SET paused_reason = NULL, paused_message = NULL, paused_until_ms = NULL
WHERE lane_id IN (SELECT lane_id FROM run_lanes WHERE run_id = :runId) AND paused_reason IS NOT NULL
  AND (:all::boolean OR paused_until_ms IS NULL OR paused_until_ms <= :nowMs OR paused_reason <> 'rate_limited')`;

const CLEAR_MODELS = `DELETE FROM paused_models WHERE run_id = :runId`;

/** A person started the run again, so what had paused it may be mended, and failures count from here on. */
export async function clearPauses(tx: Tx, runId: string): Promise<void> {
  await openLanes(tx, runId, { all: false });
  startAnew(tx, runId);
}

/** Nothing that the run needs is paused any more, with `all` not even by a provider's own word. True when something was. */
export async function openLanes(tx: Tx, runId: string, { all }: { readonly all: boolean }): Promise<boolean> {
  tx.sql.send(FORGET_TROUBLES, { runId, all });
  const lanes = await tx.sql.run(OPEN_LANES, { runId, all, nowMs: tx.nowMs });
  const models = await tx.sql.run(CLEAR_MODELS, { runId });
  if (models > 0) unparkModels(tx, runId);
  return lanes + models > 0;
}

export const PAUSES_STATEMENTS: StoredTexts = { rows: { PAUSED_MODELS }, changes: { PAUSE_LANE, PAUSE_ACCOUNT, PAUSE_MODEL } };
