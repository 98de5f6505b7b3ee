import { type OpenJobs, refuseFullQueue } from '../../queue-depth.ts';
import type { Tx } from '../transactor.ts';

// Of a run that is being planned those that are still to come were let in with it.
const OPEN_JOBS = `
SELECT runId, open FROM (
  SELECT r.run_id AS runId, coalesce(t.open, 0)
    + iif(r.state = 'planning', max(0, coalesce(r.settings ->> '$.plannedJobs', 0) - coalesce(t.there, 0)), 0) AS open
  FROM runs r LEFT JOIN (
    SELECT run_id, sum(queued + running) AS open, sum(total - failed) AS there FROM run_totals GROUP BY run_id) t ON t.run_id = r.run_id
  WHERE r.pruned_at_ms IS NULL)
WHERE open > 0 ORDER BY open DESC, runId`;

/** Throws `UserError` (E48) when these jobs would be too many. `most`: `null` for any number. */
export function refuseDeepQueue({ sql }: Tx, added: number, most: number | null): void {
  if (most !== null) refuseFullQueue({ runs: sql.all<OpenJobs>(OPEN_JOBS), added, most });
}
