import { WARM_MS } from '../../waits.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { Tx } from '../transactor.ts';
import { type CallStep, type Step, stepOfLease } from './step-row.ts';

/** Lanes of which steps may have to wait for a first token. A leader that failed, or died, holds no lease any more. */
export const WARMING_LANES = `
SELECT p.lane_id FROM prefixes p JOIN steps w ON w.lease_token = p.warming_token WHERE p.warming_token IS NOT NULL`;

/** Condition on a step `s` that nobody is just bringing its prompt's beginning into the server's cache. */
export const NOT_FOLLOWING = `
(s.prefix IS NULL OR NOT EXISTS (
  SELECT 1 FROM prefixes p JOIN steps w ON w.lease_token = p.warming_token
  WHERE p.lane_id = s.lane_id AND p.prefix = s.prefix AND p.warming_token IS NOT NULL))`;

// Where the clock was set back nothing is known.
const WARM_UP = `
INSERT INTO prefixes AS p (lane_id, prefix, warming_token) VALUES (:laneId, :prefix, :token)
ON CONFLICT (lane_id, prefix) DO UPDATE SET warming_token = excluded.warming_token
WHERE p.warmed_at_ms IS NULL OR p.warmed_at_ms <= :nowMs::bigint - ${WARM_MS} OR p.warmed_at_ms > :nowMs`;

const FORGET_OLD = `
DELETE FROM prefixes p WHERE p.lane_id = :laneId AND (p.warmed_at_ms IS NULL OR p.warmed_at_ms <= :nowMs::bigint - ${WARM_MS})
  AND NOT EXISTS (SELECT 1 FROM steps w WHERE w.lease_token = p.warming_token)`;

/** Whether the call is the first of its prompt's beginning: then others of the same beginning wait for its first token. */
export async function warmsUp(tx: Tx, { laneId, prefix }: CallStep, token: string): Promise<boolean> {
  if (prefix === null) return false;
  if ((await tx.sql.run(WARM_UP, { laneId, prefix, token, nowMs: tx.nowMs })) === 0) return false;
  tx.sql.send(FORGET_OLD, { laneId, nowMs: tx.nowMs });
  return true;
}

const NOTE_WARM = `UPDATE prefixes SET warming_token = NULL, warmed_at_ms = :nowMs WHERE lane_id = :laneId AND prefix = :prefix`;

/** An answer to a prompt of this beginning came, or begins to: the server has it in its cache now, if it keeps one. */
export function noteWarm(tx: Tx, { laneId, prefix }: Step): void {
  if (laneId !== null && prefix !== null) tx.sql.send(NOTE_WARM, { laneId, prefix, nowMs: tx.nowMs });
}

/** The first piece of the answer to a leased call is here. */
export async function noteFirstToken(tx: Tx, token: string): Promise<void> {
  const step = await stepOfLease(tx.sql, token);
  if (step !== undefined) noteWarm(tx, step);
}

export const PREFIXES_STATEMENTS: StoredTexts = { rows: { WARMING_LANES }, changes: { WARM_UP, FORGET_OLD, NOTE_WARM } };
