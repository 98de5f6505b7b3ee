import type { JobState } from '../../../domain/job.ts';
import type { JobError, JobResult } from '../../../domain/result.ts';
import type { RunFacts } from '../../run-facts.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { Tx } from '../transactor.ts';

/** One job of one run. */
export type JobRef = { readonly runId: string; readonly jobId: string };

const SYNC = `
UPDATE jobs SET state = CASE WHEN state = 'queued' THEN 'running' ELSE 'queued' END
WHERE run_id = :runId AND job_id = :jobId AND state IN ('queued', 'running') AND (state = 'running') <> EXISTS (
  SELECT 1 FROM steps s WHERE s.run_id = :runId AND s.job_id = :jobId AND s.state = 'running')`;

/** An open job is `running` if any of its steps runs, else `queued`. Called after every change of a step of an open job. */
export function syncJob(tx: Tx, { runId, jobId }: JobRef): void {
  tx.sql.send(SYNC, { runId, jobId });
}

/**
 * What may still come of a job. `ending`: it or its run was cancelled, so that nothing more is called and only what is paid goes on.
 * `ended`: nothing at all.
 */
export type Outlook = 'open' | 'ending' | 'ended';

const OUTLOOK = `
SELECT CASE WHEN ended_at_ms IS NOT NULL THEN 'ended' WHEN cancel_asked IS NOT NULL THEN 'ending' ELSE 'open' END AS outlook
FROM jobs WHERE run_id = :runId AND job_id = :jobId`;

export async function outlookOf(tx: Tx, run: RunFacts, { runId, jobId }: JobRef): Promise<Outlook> {
  const outlook = (await tx.sql.one<{ outlook: Outlook }>(OUTLOOK, { runId, jobId }))?.outlook;
  if (outlook === undefined) throw new Error(`Run ${runId} has no job ${jobId}`);
  return outlook === 'open' && run.state === 'cancelled' ? 'ending' : outlook;
}

// Whose answer the job rests on: the reduce or the re-ask comes last. It is cached only if every answer was paid by another job;
// a superseded re-ask is of an earlier round.
const ANSWER = `
answer_call_token = (SELECT s.call_token FROM steps s WHERE s.run_id = :runId AND s.job_id = :jobId AND s.state = 'succeeded'
    AND s.outcome IN ('answered', 'cached') ORDER BY s.step_id DESC LIMIT 1),
  cached = NOT EXISTS (SELECT 1 FROM steps s JOIN responses r ON r.call_token = s.call_token
    WHERE s.run_id = :runId AND s.job_id = :jobId AND s.state = 'succeeded' AND s.key IS NOT NULL
      AND NOT (s.kind = 'reask' AND s.outcome = 'superseded') AND r.run_id = :runId AND r.job_id = :jobId AND NOT r.imported)`;

const NOTE_ANSWER = `UPDATE jobs SET ${ANSWER} WHERE run_id = :runId AND job_id = :jobId`;

/** Once its finish has ended: an earlier one may only have asked for more. */
export function noteAnswer(tx: Tx, { runId, jobId }: JobRef): void {
  tx.sql.sendOne(NOTE_ANSWER, { runId, jobId });
}

const SUCCEED = `
UPDATE jobs SET state = 'succeeded', verdict = :verdict, result_verdict = :verdict, ended_at_ms = :nowMs, cancel_asked = NULL, ${ANSWER}
WHERE run_id = :runId AND job_id = :jobId AND state IN ('queued', 'running')`;
const STORE_RESULT = `
INSERT INTO job_results (run_id, job_id, result) VALUES (:runId, :jobId, :result)
ON CONFLICT (run_id, job_id) DO UPDATE SET result = excluded.result`;

export function succeedJob(tx: Tx, { runId, jobId }: JobRef, result: JobResult): void {
  tx.sql.sendOne(SUCCEED, { runId, jobId, verdict: result.verdict, nowMs: tx.nowMs });
  tx.sql.sendOne(STORE_RESULT, { runId, jobId, result: JSON.stringify(result) });
  summaryIsStale(tx, runId);
}

// A job that was asked afresh loses its old result, and the answer that this one rested on.
const FAIL = `
UPDATE jobs SET state = 'failed', verdict = 'error', error_reason = :reason, error_message = :message, ended_at_ms = :nowMs,
  cancel_asked = NULL, result_verdict = NULL, cached = false, answer_call_token = NULL
WHERE run_id = :runId AND job_id = ANY (:jobIds::text[]) AND state IN ('queued', 'running') RETURNING job_id`;
const FORGET_RESULTS = `
DELETE FROM job_results r USING jobs j
WHERE r.run_id = :runId AND r.job_id = ANY (:jobIds::text[]) AND j.run_id = r.run_id AND j.job_id = r.job_id AND j.result_verdict IS NULL`;
const CANCEL_STEPS = `
UPDATE steps SET state = 'cancelled', gate = NULL, parked = false
WHERE run_id = :runId AND job_id = ANY (:jobIds::text[]) AND state IN ('queued', 'waiting')`;

/**
 * A finally failed step fails its job: what is queued or waiting of it ends, what runs is kept. Jobs that had ended stay as they are. Those
 * that ended here.
 */
export async function failJobs(
  tx: Tx,
  runId: string,
  jobIds: readonly string[],
  { reason, message }: JobError,
): Promise<ReadonlySet<string>> {
  const rows = await tx.sql.all<{ jobId: string }>(FAIL, { runId, jobIds, reason, message, nowMs: tx.nowMs });
  tx.sql.send(CANCEL_STEPS, { runId, jobIds });
  const ended = new Set(rows.map(({ jobId }) => jobId));
  if (ended.size === 0) return ended;
  tx.sql.send(FORGET_RESULTS, { runId, jobIds });
  summaryIsStale(tx, runId);
  return ended;
}

/** Columns of a job that is cancelled. One that was asked afresh still has its old result: that stands again. */
export const CANCELLED = `
  state = CASE WHEN result_verdict IS NULL THEN 'cancelled' ELSE 'succeeded' END, verdict = result_verdict, ended_at_ms = :nowMs,
  cancel_asked = NULL`;

const CANCEL = `
UPDATE jobs SET ${CANCELLED}
WHERE run_id = :runId AND job_id = :jobId AND state IN ('queued', 'running') RETURNING state`;

/** Ends a job whose last step has ended; says as what. */
export async function cancelJob(tx: Tx, { runId, jobId }: JobRef): Promise<JobState> {
  const ended = await tx.sql.one<{ state: JobState }>(CANCEL, { runId, jobId, nowMs: tx.nowMs });
  if (ended === undefined) throw new Error(`Job ${jobId} of run ${runId} has ended already`);
  summaryIsStale(tx, runId);
  return ended.state;
}

const STALE = `UPDATE runs SET summary_at_ms = NULL WHERE run_id = :runId AND summary_at_ms IS NOT NULL`;

/** A job ended or was reopened: a summary written earlier is no longer true. */
export function summaryIsStale(tx: Tx, runId: string): void {
  tx.sql.send(STALE, { runId });
}

export const JOBS_STATEMENTS: StoredTexts = { rows: { OUTLOOK }, changes: { SYNC, SUCCEED, STORE_RESULT, STALE } };
