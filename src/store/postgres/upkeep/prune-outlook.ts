import { basename } from 'node:path';
import type { PruneOutlook } from '../../maintenance.ts';
import type { Sql } from '../sql.ts';
import { THIS_DATABASE } from '../this-database.ts';

const SELECT_PLACE = `
SELECT out_dir, written_from = ${THIS_DATABASE} AS own FROM runs WHERE run_id = :runId AND pruned_at_ms IS NULL`;

/** What a pruning would meet; `null` when there is no such run. */
export async function pruneOutlook(sql: Sql, runId: string): Promise<PruneOutlook | null> {
  const place = await sql.one<{ outDir: string; own: boolean }>(SELECT_PLACE, { runId });
  if (place === undefined) return null;
  // A folder of another name was never made by a run; what another database wrote there is that one's.
  const folder = place.own && basename(place.outDir) === runId ? place.outDir : null;
  return { folder, openJobs: await openJobs(sql, runId) };
}

// Of a cancelled run, work that is paid for stays claimable; an ended job may have a step that still runs.
const COUNT_OPEN = `
SELECT count(*) AS count FROM (
  SELECT job_id FROM jobs WHERE run_id = :runId AND ended_at_ms IS NULL
  UNION SELECT job_id FROM steps WHERE run_id = :runId AND state = 'running') o`;

/** Jobs of a run that are not ended, or of which a step still runs. */
export async function openJobs(sql: Sql, runId: string): Promise<number> {
  return (await sql.one<{ count: number }>(COUNT_OPEN, { runId }))?.count ?? 0;
}
