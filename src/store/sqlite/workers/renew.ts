import type { Database } from 'better-sqlite3';

/** One beat of a worker. */
export type Beat = {
  readonly workerId: string;
  readonly nowMs: number;
  /** By how much the clock was set, or the machine slept, since the last beat; 0 when it went as usual. */
  readonly jumpMs: number;
  /** Since the last beat, on a clock that only goes forward. */
  readonly elapsedMs: number;
};

// A deadline bounds how long a step works, not what the clock says: it moves with the clock. Leases given since the jump stay.
const MOVE_DEADLINES = `
UPDATE steps SET deadline_at_ms = deadline_at_ms + :jumpMs
WHERE lease_owner = :workerId AND state = 'running'
  AND iif(:jumpMs > 0, leased_at_ms <= :nowMs - :elapsedMs, leased_at_ms > :nowMs)`;

/** All leases of a worker whose deadline has not passed. */
export const RENEW = `
UPDATE steps SET lease_expires_at_ms = :nowMs + (SELECT r.settings ->> '$.lease.ttlMs' FROM runs r WHERE r.run_id = steps.run_id)
WHERE lease_owner = :workerId AND state = 'running' AND deadline_at_ms > :nowMs`;
export const NOTE_BEAT = `UPDATE workers SET beat_at_ms = :nowMs WHERE worker_id = :workerId`;

/** Renews all leases of a worker whose deadline has not passed, inside the caller's transaction. */
export function renewLeases(db: Database, beat: Beat): void {
  const { workerId, nowMs, jumpMs, elapsedMs } = beat;
  if (jumpMs !== 0) db.prepare(MOVE_DEADLINES).run({ workerId, nowMs, jumpMs, elapsedMs });
  db.prepare(RENEW).run({ workerId, nowMs });
  db.prepare(NOTE_BEAT).run({ workerId, nowMs });
}
