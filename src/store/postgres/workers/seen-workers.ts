import { MISSED_BEATS, SLOWEST_BEAT_MS } from '../../../domain/lease.ts';
import type { WorkerRow } from '../../rows.ts';
import type { View } from '../transactor.ts';

const SELECT_WORKERS = `
SELECT w.worker_id, w.run_id, w.host_id, w.hostname, w.pid, w.version, w.tags, w.plans, w.started_at_ms, w.beat_at_ms,
  s.running, s.oldest_lease_at_ms
FROM workers w CROSS JOIN LATERAL (
  SELECT count(*) AS running, min(leased_at_ms) AS oldest_lease_at_ms FROM steps WHERE lease_owner = w.worker_id AND state = 'running') s
ORDER BY w.started_at_ms, w.worker_id`;

/** Who works on the store, on whatever machine; one that has not beaten for long does not. All beats are by the server's clock. */
export async function seeWorkers({ sql, nowMs }: View): Promise<readonly WorkerRow[]> {
  const rows = await sql.all<Omit<WorkerRow, 'alive'>>(SELECT_WORKERS);
  return rows.map((row) => ({ ...row, alive: nowMs - row.beatAtMs < MISSED_BEATS * SLOWEST_BEAT_MS }));
}
