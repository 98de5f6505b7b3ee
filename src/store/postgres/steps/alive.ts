import type { Sql } from '../sql.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { Tx } from '../transactor.ts';

/** One beat of a worker. */
export type Beat = {
  readonly workerId: string;
  readonly nowMs: number;
  /** By how much the clock was set, or the machine slept, since the last beat; 0 when it went as usual. */
  readonly jumpMs: number;
  /** Since the last beat, on a clock that only goes forward. */
  readonly elapsedMs: number;
};

// A step that is locked just now is being ended, or taken: nobody waits for it here, so that a beat is never late.
function held(condition: string): string {
  return `
SELECT s.step_id, (r.settings #>> '{lease,ttlMs}')::bigint AS ttl_ms FROM steps s JOIN runs r ON r.run_id = s.run_id
WHERE s.lease_owner = :workerId AND s.state = 'running' AND ${condition} ORDER BY s.step_id FOR NO KEY UPDATE OF s SKIP LOCKED`;
}

// A deadline bounds how long a step works, not what the clock says: it moves with the clock. Leases given since the jump stay.
const MOVE_DEADLINES = `
WITH held AS MATERIALIZED (${held(`
  CASE WHEN :jumpMs::bigint > 0 THEN s.leased_at_ms <= :nowMs::bigint - :elapsedMs::bigint ELSE s.leased_at_ms > :nowMs END`)})
UPDATE steps s SET deadline_at_ms = s.deadline_at_ms + :jumpMs FROM held h WHERE s.step_id = h.step_id`;

const RENEW = `
WITH held AS MATERIALIZED (${held('s.deadline_at_ms > :nowMs::bigint')})
UPDATE steps s SET lease_expires_at_ms = :nowMs + h.ttl_ms FROM held h WHERE s.step_id = h.step_id`;
const NOTE_BEAT = `UPDATE workers SET beat_at_ms = :nowMs WHERE worker_id = :workerId`;

/** Renews all leases of a worker whose deadline has not passed. */
export function renewLeases(sql: Sql, { workerId, nowMs, jumpMs, elapsedMs }: Beat): void {
  if (jumpMs !== 0) sql.send(MOVE_DEADLINES, { workerId, nowMs, jumpMs, elapsedMs });
  sql.send(RENEW, { workerId, nowMs });
  sql.send(NOTE_BEAT, { workerId, nowMs });
}

const LATE = `
SELECT EXISTS (SELECT 1 FROM steps WHERE lease_owner = :owner AND state = 'running' AND lease_expires_at_ms <= :nowMs) AS late,
  EXISTS (SELECT 1 FROM workers WHERE worker_id = :owner AND died_with_suspect) AS dead`;
const CLEAR_DEATH = `UPDATE workers SET died_with_suspect = false WHERE worker_id = :owner AND died_with_suspect`;

/** `late`: a lease of the worker has run out. `dead`: a death was charged to what it held. */
export type Signs = { readonly late: boolean; readonly dead: boolean };

export async function signsOf({ sql, nowMs }: Tx, owner: string): Promise<Signs> {
  return (await sql.one<Signs>(LATE, { owner, nowMs })) ?? { late: false, dead: false };
}

/**
 * A worker that speaks is alive: an earlier charge was for a freeze. After a sleep longer than its leases all of them are renewed,
 * as its next beat would do: nobody has taken them, or they would not be its own.
 */
export function noteAlive({ sql, nowMs }: Tx, owner: string, { late, dead }: Signs): void {
  if (dead) sql.send(CLEAR_DEATH, { owner });
  if (late) renewLeases(sql, { workerId: owner, nowMs, jumpMs: 0, elapsedMs: 0 });
}

export const ALIVE_STATEMENTS: StoredTexts = { rows: { LATE }, changes: { MOVE_DEADLINES, RENEW, NOTE_BEAT, CLEAR_DEATH } };
