import type { Tx } from '../transactor.ts';

/** A job as its files were written: ended then. */
export type WrittenJob = { readonly jobId: string; readonly endedAtMs: number | null };

const WRITTEN = 'unnest(:jobIds::text[], :endedAtMs::bigint[]) AS w (job_id, ended_at_ms)';

const MARK_ARTIFACTS = `
UPDATE jobs j SET artifacts_at_ms = :nowMs FROM ${WRITTEN}
WHERE j.run_id = :runId AND j.job_id = w.job_id AND j.ended_at_ms = w.ended_at_ms AND j.artifacts_at_ms IS NULL
  AND EXISTS (SELECT 1 FROM runs r WHERE r.run_id = :runId AND r.out_dir = :outDir)`;

// A slow process may have written what it read long ago over the files of somebody faster.
const FORGET_ARTIFACTS = `
UPDATE jobs j SET artifacts_at_ms = NULL FROM ${WRITTEN}
WHERE j.run_id = :runId AND j.job_id = w.job_id AND j.ended_at_ms IS DISTINCT FROM w.ended_at_ms AND j.artifacts_at_ms IS NOT NULL`;

/**
 * A job that was reopened meanwhile, or ended anew, is left out, and so are all where the run's folder has moved: those files will be
 * written again. If the newer files were marked already they count as unwritten: they may have been overwritten by these.
 */
export function markArtifacts({ sql, nowMs }: Tx, runId: string, outDir: string, rows: readonly WrittenJob[]): void {
  const written = { runId, jobIds: rows.map(({ jobId }) => jobId), endedAtMs: rows.map(({ endedAtMs }) => endedAtMs) };
  sql.send(MARK_ARTIFACTS, { ...written, outDir, nowMs });
  sql.send(FORGET_ARTIFACTS, written);
}

const CLEAR_JOBS = `UPDATE jobs SET artifacts_at_ms = NULL WHERE run_id = :runId AND artifacts_at_ms IS NOT NULL`;
const CLEAR_SUMMARY = `UPDATE runs SET summary_at_ms = NULL WHERE run_id = :runId`;
// A summary that is being written now may land in the folder that is gone.
const NEXT_REVISION = `UPDATE revisions SET revision = revision + 1 WHERE run_id = :runId`;

/** No file of the run counts as written any more. */
export function clearArtifacts(tx: Tx, runId: string): void {
  for (const text of [CLEAR_JOBS, CLEAR_SUMMARY, NEXT_REVISION]) tx.sql.send(text, { runId });
}

const MARK_SUMMARY = `
UPDATE runs SET summary_at_ms = :nowMs
WHERE run_id = :runId AND EXISTS (SELECT 1 FROM revisions v WHERE v.run_id = :runId AND v.revision = :revision)`;

/** False: something changed since the run was read at `revision`, so what was written is not marked. */
export async function markSummary(tx: Tx, runId: string, revision: number): Promise<boolean> {
  return (await tx.sql.run(MARK_SUMMARY, { runId, revision, nowMs: tx.nowMs })) === 1;
}
