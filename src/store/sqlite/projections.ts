import type { Tx } from './transactor.ts';

const MARK_ARTIFACTS = `
UPDATE jobs SET artifacts_at_ms = :nowMs
WHERE run_id = :runId AND job_id IN (SELECT value FROM json_each(:jobIds)) AND ended_at_ms IS NOT NULL`;

/** A job that was reopened meanwhile is left out: its artifacts will be written again. */
export function markArtifacts(tx: Tx, runId: string, jobIds: readonly string[]): void {
  tx.sql.run(MARK_ARTIFACTS, { runId, jobIds: JSON.stringify(jobIds), nowMs: tx.nowMs });
}

const MARK_SUMMARY = `UPDATE runs SET summary_at_ms = :nowMs WHERE run_id = :runId`;

export function markSummary(tx: Tx, runId: string): void {
  tx.sql.run(MARK_SUMMARY, { runId, nowMs: tx.nowMs });
}
