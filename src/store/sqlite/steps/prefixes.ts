import { WARM_MS } from '../../waits.ts';
import type { Tx, View } from '../transactor.ts';
import { type CallStep, type Step, stepOfLease } from './step-row.ts';

// A leader that failed, or died, holds no lease any more.
const IS_WARMING = `
SELECT 1 AS found FROM prefixes p INDEXED BY prefixes_warming JOIN steps w ON w.lease_token = p.warming_token
WHERE p.lane_id = :laneId AND p.warming_token IS NOT NULL LIMIT 1`;

/** Whether steps of the lane may have to wait for a first token. */
export function isWarming({ sql }: View, laneId: string): boolean {
  return sql.one(IS_WARMING, { laneId }) !== undefined;
}

/** Condition on a step `s` that nobody is just bringing its prompt's beginning into the server's cache. */
export const NOT_FOLLOWING = `
(s.prefix IS NULL OR NOT EXISTS (
  SELECT 1 FROM prefixes p JOIN steps w ON w.lease_token = p.warming_token
  WHERE p.lane_id = s.lane_id AND p.prefix = s.prefix AND p.warming_token IS NOT NULL))`;

// Where the clock was set back nothing is known.
const WARM_UP = `
INSERT INTO prefixes (lane_id, prefix, warming_token) VALUES (:laneId, :prefix, :token)
ON CONFLICT (lane_id, prefix) DO UPDATE SET warming_token = excluded.warming_token
WHERE warmed_at_ms IS NULL OR warmed_at_ms <= :nowMs - ${WARM_MS} OR warmed_at_ms > :nowMs`;

function forget(which: string): string {
  return `
DELETE FROM prefixes INDEXED BY prefixes_by_age WHERE lane_id = :laneId AND ${which}
  AND NOT EXISTS (SELECT 1 FROM steps w WHERE w.lease_token = warming_token)`;
}

const FORGET_COLD = forget(`warmed_at_ms <= :nowMs - ${WARM_MS}`);
const FORGET_DEAD = forget('warmed_at_ms IS NULL');

/** Whether the call is the first of its prompt's beginning: then others of the same beginning wait for its first token. */
export function warmsUp(tx: Tx, { laneId, prefix }: CallStep, token: string): boolean {
  if (prefix === null) return false;
  if (tx.sql.run(WARM_UP, { laneId, prefix, token, nowMs: tx.nowMs }) === 0) return false;
  tx.sql.run(FORGET_COLD, { laneId, nowMs: tx.nowMs });
  tx.sql.run(FORGET_DEAD, { laneId });
  return true;
}

const NOTE_WARM = `UPDATE prefixes SET warming_token = NULL, warmed_at_ms = :nowMs WHERE lane_id = :laneId AND prefix = :prefix`;

/** An answer to a prompt of this beginning came, or begins to: the server has it in its cache now, if it keeps one. */
export function noteWarm(tx: Tx, { laneId, prefix }: Step): void {
  if (laneId !== null && prefix !== null) tx.sql.run(NOTE_WARM, { laneId, prefix, nowMs: tx.nowMs });
}

/** The first piece of the answer to a leased call is here. */
export function noteFirstToken(tx: Tx, token: string): void {
  const step = stepOfLease(tx.sql, token);
  if (step !== undefined) noteWarm(tx, step);
}
