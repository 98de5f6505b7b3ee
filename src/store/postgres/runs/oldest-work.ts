import type { OldestWork } from '../../rows.ts';
import type { View } from '../transactor.ts';

const SELECT_OLDEST = `
SELECT
  (SELECT min(run_at_ms) FROM steps WHERE run_id = :runId AND state = 'queued' AND run_at_ms <= :nowMs) AS queued_at_ms,
  (SELECT min(leased_at_ms) FROM steps WHERE run_id = :runId AND state = 'running') AS running_at_ms`;

/** A step that is put back for a later time is not late before that. */
export async function oldestWork({ sql, nowMs }: View, runId: string): Promise<OldestWork> {
  return (await sql.one<OldestWork>(SELECT_OLDEST, { runId, nowMs })) ?? { queuedAtMs: null, runningAtMs: null };
}
