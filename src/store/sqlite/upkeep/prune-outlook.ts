import type { PruneOutlook } from '../../maintenance.ts';
import type { Sql } from '../sql.ts';
import { ownFolder, type RunPlace } from './own-folder.ts';

const SELECT_PLACE = `
SELECT run_id AS runId, out_dir AS outDir, written_from AS writtenFrom,
  (SELECT file FROM pragma_database_list WHERE name = 'main') AS database
FROM runs WHERE run_id = :runId AND pruned_at_ms IS NULL`;

/** What a pruning would meet; `null` when there is no such run. */
export function pruneOutlook(sql: Sql, runId: string): PruneOutlook | null {
  const place = sql.one<RunPlace>(SELECT_PLACE, { runId });
  return place === undefined ? null : { folder: ownFolder(place), openJobs: openJobs(sql, runId) };
}

// Of a cancelled run, work that is paid for stays claimable; an ended job may have a step that still runs.
const COUNT_OPEN = `
SELECT count(*) AS count FROM (
  SELECT job_id FROM jobs WHERE run_id = :runId AND state IN ('queued', 'running')
  UNION SELECT job_id FROM steps WHERE run_id = :runId AND state = 'running')`;

/** Jobs of a run that are not ended, or of which a step still runs. */
export function openJobs(sql: Sql, runId: string): number {
  return sql.one<{ count: number }>(COUNT_OPEN, { runId })?.count ?? 0;
}
