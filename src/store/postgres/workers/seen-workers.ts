import { MISSED_BEATS, SLOWEST_BEAT_MS } from '../../../domain/lease.ts';
import type { WorkerRow } from '../../rows.ts';
import type { SpoolLocks } from '../spool/spool-locks.ts';
import type { View } from '../transactor.ts';

const SELECT_WORKERS = `
SELECT w.worker_id, w.run_id, w.host_id, w.hostname, w.pid, w.version, w.tags, w.plans, w.started_at_ms, w.beat_at_ms,
  held.running, held.oldest_lease_at_ms, held.expires_at_ms, held.watch_ms
FROM workers w CROSS JOIN LATERAL (
  SELECT count(*) AS running, min(s.leased_at_ms) AS oldest_lease_at_ms, min(s.lease_expires_at_ms) AS expires_at_ms,
    min((r.settings #>> '{lease,ttlMs}')::bigint - coalesce(l.watched_ms, 0)) AS watch_ms
  FROM steps s JOIN runs r ON r.run_id = s.run_id
  LEFT JOIN watched_leases l ON l.lease_token = s.lease_token AND l.expires_at_ms = s.lease_expires_at_ms
  WHERE s.lease_owner = w.worker_id AND s.state = 'running') held
ORDER BY w.started_at_ms, w.worker_id`;

type Selected = Omit<WorkerRow, 'alive' | 'certain' | 'takeover'> & {
  readonly expiresAtMs: number | null;
  readonly watchMs: number | null;
};

/** Whose locks this machine can ask: those of its own boot, where that is known. */
export type Watcher = { readonly locks: SpoolLocks; readonly hostId: string | null };

/** Who works on the store, on whatever machine: by its lock on this one, by its beats on another, all of which are by the server's clock. */
export async function seeWorkers({ sql, nowMs }: View, watcher: Watcher): Promise<readonly WorkerRow[]> {
  const rows = await sql.all<Selected>(SELECT_WORKERS);
  return Promise.all(
    rows.map(async ({ expiresAtMs, watchMs, ...row }) => {
      const fate = row.hostId === watcher.hostId ? await watcher.locks.fate(row.workerId) : 'unknown';
      const alive = fate === 'unknown' ? nowMs - row.beatAtMs < MISSED_BEATS * SLOWEST_BEAT_MS : fate === 'alive';
      const takeover = expiresAtMs === null || watchMs === null ? null : { expiresAtMs, watchMs };
      return { ...row, alive, certain: fate !== 'unknown', takeover };
    }),
  );
}
