import { ranOut } from '../../../domain/lease.ts';
import type { LeaseWatch } from '../../lease-watch.ts';
import { BEAT_LOCKS } from '../locks.ts';
import type { HeldLease } from '../steps/reap.ts';
import type { Transactor, Tx } from '../transactor.ts';

/** So far ahead of what is kept a watch is worth keeping: of many processes that watch the same, one writes. */
const WORTH_KEEPING_MS = 500;

// All in one order, so that nobody waits in a circle.
const KEEP = `
INSERT INTO watched_leases AS w (lease_token, expires_at_ms, watched_ms)
SELECT seen.token, seen.expires_at_ms, seen.watched_ms
FROM unnest(:tokens::text[], :expiriesMs::bigint[], :watchedMs::bigint[]) AS seen (token, expires_at_ms, watched_ms) ORDER BY seen.token
ON CONFLICT (lease_token) DO UPDATE SET expires_at_ms = excluded.expires_at_ms, watched_ms = excluded.watched_ms
WHERE w.expires_at_ms <> excluded.expires_at_ms OR w.watched_ms < excluded.watched_ms`;

/**
 * Keeps for how long leases that ran out were watched, so that whoever watches next goes on from there: processes that stay for seconds
 * get there together. Only what somebody watched counts, by his own clock and while the server answered him. The server's clock alone
 * would not do: after a jump of it, or when the server was away, every lease is long over, also of those who live and are about to renew;
 * and since when it answers, or goes right, it does not know itself (a standby that took over was up all along). To have been watched for
 * as long as a lease lasts, whoever watched, leaves a living worker four beats in which it could renew.
 */
export async function keepWatched(
  transactor: Transactor,
  held: readonly HeldLease[],
  { nowMs, watch }: { readonly nowMs: number; readonly watch: LeaseWatch },
): Promise<void> {
  const seen = held
    .filter((lease) => ranOut({ ...lease, nowMs }))
    .map((lease) => ({ ...lease, unchangedMs: Math.floor(watch.unchangedMs(lease)) }))
    .filter(({ unchangedMs, watchedMs, ttlMs }) => watchedMs < ttlMs && unchangedMs >= Math.min(ttlMs, watchedMs + WORTH_KEEPING_MS));
  if (seen.length === 0) return;
  const tokens = seen.map(({ token }) => token);
  const expiriesMs = seen.map(({ expiresAtMs }) => expiresAtMs);
  const watchedMs = seen.map(({ unchangedMs, ttlMs }) => Math.min(unchangedMs, ttlMs));
  await transactor.write(BEAT_LOCKS, ({ sql }) => sql.send(KEEP, { tokens, expiriesMs, watchedMs }));
}

// Rows that somebody else is just writing, or removing, are left to them.
const FORGET_ENDED = `
DELETE FROM watched_leases WHERE lease_token IN (
  SELECT w.lease_token FROM watched_leases w
  WHERE NOT EXISTS (SELECT 1 FROM steps s WHERE s.lease_token = w.lease_token) FOR UPDATE SKIP LOCKED)`;

/** Of leases that were renewed or given back since, and have ended. */
export function forgetEndedWatches({ sql }: Tx): void {
  sql.send(FORGET_ENDED);
}
