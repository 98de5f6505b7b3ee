import type { Tx } from '../transactor.ts';

const CLEAR_JOBS = `UPDATE jobs SET artifacts_at_ms = NULL WHERE run_id = :runId AND artifacts_at_ms IS NOT NULL`;
const CLEAR_SUMMARY = `UPDATE runs SET summary_at_ms = NULL WHERE run_id = :runId`;
// A summary that is being written now may land in the folder that is gone.
const NEXT_REVISION = `UPDATE revisions SET revision = revision + 1 WHERE run_id = :runId`;

/** No file of the run counts as written any more. */
export async function clearArtifacts(tx: Tx, runId: string): Promise<void> {
  for (const text of [CLEAR_JOBS, CLEAR_SUMMARY, NEXT_REVISION]) await tx.sql.run(text, { runId });
}

const MARK_SUMMARY = `
UPDATE runs SET summary_at_ms = :nowMs
WHERE run_id = :runId AND EXISTS (SELECT 1 FROM revisions v WHERE v.run_id = :runId AND v.revision = :revision)`;

/** False: something changed since the run was read at `revision`, so what was written is not marked. */
export async function markSummary(tx: Tx, runId: string, revision: number): Promise<boolean> {
  return (await tx.sql.run(MARK_SUMMARY, { runId, revision, nowMs: tx.nowMs })) === 1;
}
