import { type OpenJobs, refuseFullQueue } from '../../queue-depth.ts';
import type { Tx } from '../transactor.ts';

// Of a run that is being planned those that are still to come were let in with it.
const OPEN_JOBS = `
SELECT run_id, open FROM (
  SELECT r.run_id, coalesce(t.open, 0) + CASE WHEN r.state = 'planning'
    THEN greatest(0, coalesce((r.settings ->> 'plannedJobs')::bigint, 0) - coalesce(t.there, 0)) ELSE 0 END AS open
  FROM runs r LEFT JOIN (
    SELECT run_id, sum(queued + running) AS open, sum(total - failed) AS there FROM run_totals GROUP BY run_id) t ON t.run_id = r.run_id
  WHERE r.pruned_at_ms IS NULL) q
WHERE open > 0 ORDER BY open DESC, run_id`;

/** 'aieq': the lock of whoever lets jobs in, so that no two look at the same depth. */
const QUEUE_LOCK = 0x61696571;

// The schema is part of it: other stores of the database do not wait.
const LOCK = `SELECT pg_advisory_xact_lock(:lock::int, hashtext(current_schema()))`;

/** Throws `UserError` (E48) when these jobs would be too many. `most`: `null` for any number. */
export async function refuseDeepQueue({ sql }: Tx, added: number, most: number | null): Promise<void> {
  if (most === null) return;
  await sql.run(LOCK, { lock: QUEUE_LOCK });
  refuseFullQueue({ runs: await sql.all<OpenJobs>(OPEN_JOBS), added, most });
}
