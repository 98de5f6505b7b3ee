import type { JobState } from '../../../domain/job.ts';
import type { JobError, JobResult } from '../../../domain/result.ts';
import type { RunFacts } from '../../run-facts.ts';
import type { Tx } from '../transactor.ts';

type JobRef = { readonly runId: string; readonly jobId: string };

const SYNC = `
UPDATE jobs SET state = :state
WHERE run_id = :runId AND job_id = :jobId AND state IN ('queued', 'running') AND state <> :state`;
const RUNS = `SELECT 1 AS found FROM steps WHERE run_id = :runId AND job_id = :jobId AND state = 'running' LIMIT 1`;

/** An open job is `running` if any of its steps runs, else `queued`. Called after every change of a step of an open job. */
export function syncJob(tx: Tx, { runId, jobId }: JobRef): void {
  const running = tx.sql.one(RUNS, { runId, jobId }) !== undefined;
  tx.sql.run(SYNC, { runId, jobId, state: running ? 'running' : 'queued' });
}

const STATE = `SELECT state FROM jobs WHERE run_id = :runId AND job_id = :jobId`;

export function jobState(tx: Tx, { runId, jobId }: JobRef): JobState {
  const row = tx.sql.one<{ state: JobState }>(STATE, { runId, jobId });
  if (row === undefined) throw new Error(`Run ${runId} has no job ${jobId}`);
  return row.state;
}

/**
 * What may still come of a job. `ending`: it or its run was cancelled, so that nothing more is called and only what is paid goes on.
 * `ended`: nothing at all.
 */
export type Outlook = 'open' | 'ending' | 'ended';

const OUTLOOK = `
SELECT CASE WHEN ended_at_ms IS NOT NULL THEN 'ended' WHEN cancel_asked IS NOT NULL THEN 'ending' ELSE 'open' END AS outlook
FROM jobs WHERE run_id = :runId AND job_id = :jobId`;

export function outlookOf(tx: Tx, run: RunFacts, { runId, jobId }: JobRef): Outlook {
  const outlook = tx.sql.one<{ outlook: Outlook }>(OUTLOOK, { runId, jobId })?.outlook;
  if (outlook === undefined) throw new Error(`Run ${runId} has no job ${jobId}`);
  return outlook === 'open' && run.state === 'cancelled' ? 'ending' : outlook;
}

// Whose answer the job rests on: the reduce or the re-ask comes last. It is cached only if every answer was paid by another job;
// a superseded re-ask is of an earlier round.
const NOTE_ANSWER = `
UPDATE jobs SET (answer_call_token, cached) = (
  SELECT (SELECT s.call_token FROM steps s WHERE s.run_id = :runId AND s.job_id = :jobId AND s.state = 'succeeded'
            AND s.outcome IN ('answered', 'cached') ORDER BY s.step_id DESC LIMIT 1),
    NOT EXISTS (SELECT 1 FROM steps s JOIN responses r ON r.call_token = s.call_token
      WHERE s.run_id = :runId AND s.job_id = :jobId AND s.state = 'succeeded' AND s.key IS NOT NULL
        AND NOT (s.kind = 'reask' AND s.outcome = 'superseded') AND r.run_id = :runId AND r.job_id = :jobId AND r.imported = 0))
WHERE run_id = :runId AND job_id = :jobId`;

/** Once its finish has ended: an earlier one may only have asked for more. */
export function noteAnswer(tx: Tx, { runId, jobId }: JobRef): void {
  tx.sql.runOne(NOTE_ANSWER, { runId, jobId });
}

const SUCCEED = `
UPDATE jobs SET state = 'succeeded', verdict = :verdict, result = :result, ended_at_ms = :nowMs, cancel_asked = NULL
WHERE run_id = :runId AND job_id = :jobId AND state IN ('queued', 'running')`;

export function succeedJob(tx: Tx, { runId, jobId }: JobRef, result: JobResult): void {
  tx.sql.runOne(SUCCEED, { runId, jobId, verdict: result.verdict, result: JSON.stringify(result), nowMs: tx.nowMs });
  noteAnswer(tx, { runId, jobId });
  summaryIsStale(tx, runId);
}

// A job that was asked afresh loses its old result, and the answer that this one rested on.
const FAIL = `
UPDATE jobs SET state = 'failed', verdict = 'error', error_reason = :reason, error_message = :message, ended_at_ms = :nowMs,
  cancel_asked = NULL, result = NULL, cached = 0, answer_call_token = NULL
WHERE run_id = :runId AND job_id = :jobId AND state IN ('queued', 'running')`;

/** A finally failed step fails its job: what is queued or waiting of it ends, what runs is kept. False: it had ended before. */
export function failJob(tx: Tx, { runId, jobId }: JobRef, error: JobError): boolean {
  const changed = tx.sql.run(FAIL, { runId, jobId, reason: error.reason, message: error.message, nowMs: tx.nowMs }) === 1;
  cancelOpenSteps(tx, { runId, jobId });
  if (changed) summaryIsStale(tx, runId);
  return changed;
}

/** Columns of a job that is cancelled. One that was asked afresh still has its old result: that stands again. */
export const CANCELLED = `
  state = iif(result IS NULL, 'cancelled', 'succeeded'), verdict = result ->> '$.verdict', ended_at_ms = :nowMs, cancel_asked = NULL`;

const CANCEL = `
UPDATE jobs SET ${CANCELLED}
WHERE run_id = :runId AND job_id = :jobId AND state IN ('queued', 'running')`;

/** Ends a job whose last step has ended; says as what. */
export function cancelJob(tx: Tx, { runId, jobId }: JobRef): JobState {
  tx.sql.runOne(CANCEL, { runId, jobId, nowMs: tx.nowMs });
  summaryIsStale(tx, runId);
  return jobState(tx, { runId, jobId });
}

const CANCEL_STEPS = `
UPDATE steps SET state = 'cancelled', gate = NULL, parked = 0
WHERE run_id = :runId AND job_id = :jobId AND state IN ('queued', 'waiting')`;

function cancelOpenSteps(tx: Tx, { runId, jobId }: JobRef): void {
  tx.sql.run(CANCEL_STEPS, { runId, jobId });
}

const STALE = `UPDATE runs SET summary_at_ms = NULL WHERE run_id = :runId AND summary_at_ms IS NOT NULL`;

/** A job ended or was reopened: a summary written earlier is no longer true. */
export function summaryIsStale(tx: Tx, runId: string): void {
  tx.sql.run(STALE, { runId });
}
