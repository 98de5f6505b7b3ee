import type { RetryHow, RetrySelection, RetryTerms } from '../../plan-rows.ts';
import type { RetriedJob, RetryOutlook } from '../../rows.ts';
import { runHeld } from '../../run-held.ts';
import { clearPauses } from '../steps/pauses.ts';
import type { Tx } from '../transactor.ts';
import { summaryIsStale } from './jobs.ts';
import { eachOpenCall } from './open-calls.ts';
import { refuseDeepQueue } from './queue-depth.ts';
import { requeueFailed, requeueForNewAnswer } from './requeue.ts';
import { runFacts } from './run-facts.ts';
import { holderOf } from './runs.ts';

// Jobs of a document without usable text have no steps: asking again would change nothing.
const SELECTED = `
SELECT j.job_id AS jobId FROM jobs j INDEXED BY jobs_failed
WHERE j.run_id = :runId AND j.state = 'failed'
  AND (:jobIds IS NULL OR j.job_id IN (SELECT value FROM json_each(:jobIds)))
  AND (:reasons IS NULL OR j.error_reason IN (SELECT value FROM json_each(:reasons)))
  AND EXISTS (SELECT 1 FROM steps s WHERE s.run_id = j.run_id AND s.job_id = j.job_id)`;

// Failure belongs to the key: asking it again is asking for all that failed with it.
const WITH_TWINS = `
WITH selected AS (${SELECTED}),
  failed_keys AS (
    SELECT DISTINCT s.key FROM selected x JOIN steps s ON s.run_id = :runId AND s.job_id = x.jobId
    WHERE s.state = 'failed' AND s.key IS NOT NULL)
SELECT jobId FROM selected
UNION
SELECT t.job_id FROM failed_keys k
  CROSS JOIN steps t INDEXED BY steps_failed_key ON t.run_id = :runId AND t.key = k.key AND t.state = 'failed'
  JOIN jobs j ON j.run_id = t.run_id AND j.job_id = t.job_id AND j.state = 'failed'
ORDER BY jobId`;

// A job that fails its checks shares nothing with its twins: they rest on answers of their own choice, or may have passed.
const WITH_VERDICT_FAIL = `
SELECT j.job_id AS jobId FROM jobs j
WHERE j.run_id = :runId AND j.state = 'succeeded' AND j.verdict = 'fail'
  AND (:jobIds IS NULL OR j.job_id IN (SELECT value FROM json_each(:jobIds)))
ORDER BY j.seq`;

/**
 * Requeues jobs, with fresh attempts and their history kept, and reopens the run; under another budget, if `terms` name one. Throws
 * `UserError` (E48) when they are too many.
 */
export function retryJobs(tx: Tx, runId: string, selection: RetrySelection, how: RetryHow = {}): { requeued: number } {
  const { terms, maxQueueDepth = null } = how;
  const jobs = selectJobs(tx, runId, selection);
  if (jobs.length === 0) return { requeued: 0 };
  refuseDeepQueue(tx, jobs.length, maxQueueDepth);
  reopen(tx, runId);
  if (terms !== undefined) setBudget(tx, runId, terms);
  const run = runFacts(tx.sql, runId);
  const requeue = selection.of === 'dlq' ? requeueFailed : requeueForNewAnswer;
  for (const { jobId } of jobs) requeue(tx, run, jobId);
  clearPauses(tx, runId);
  summaryIsStale(tx, runId);
  return { requeued: jobs.length };
}

function selectJobs(tx: Tx, runId: string, { of, jobIds, reasons }: RetrySelection): readonly { readonly jobId: string }[] {
  const values = { runId, jobIds: jobIds === null ? null : JSON.stringify(jobIds) };
  if (of === 'failed') return tx.sql.all(WITH_VERDICT_FAIL, values);
  return tx.sql.all(WITH_TWINS, { ...values, reasons: reasons === null ? null : JSON.stringify(reasons) });
}

const SELECT_RETRIED = `
SELECT job_id AS jobId, document_id AS documentId, task, model, repeat, error_reason AS reason FROM jobs
WHERE run_id = :runId AND job_id IN (SELECT value FROM json_each(:jobIds)) ORDER BY +seq`;

/** What `retryJobs` would do. It is done and taken back: what is asked again, and what needs a call for it, is decided in one place. */
export function retryOutlook(tx: Tx, runId: string, selection: RetrySelection): RetryOutlook {
  const jobIds = JSON.stringify(selectJobs(tx, runId, selection).map(({ jobId }) => jobId));
  const jobs = tx.sql.all<RetriedJob>(SELECT_RETRIED, { runId, jobIds });
  tx.sql.run('SAVEPOINT outlook');
  retryJobs(tx, runId, selection);
  const calls = eachOpenCall(tx.sql, runId);
  tx.sql.run('ROLLBACK TO outlook');
  tx.sql.run('RELEASE outlook');
  return { jobs, calls };
}

const SET_BUDGET = `
UPDATE runs SET settings = json_set(settings, '$.budget', json(:budget)), manifest = json_set(manifest, '$.budget', json(:manifestBudget))
WHERE run_id = :runId`;

/** As `run` gives a run that it joins the settings of its start. */
function setBudget(tx: Tx, runId: string, { budget, manifestBudget }: RetryTerms): void {
  tx.sql.runOne(SET_BUDGET, { runId, budget: JSON.stringify(budget), manifestBudget: JSON.stringify(manifestBudget) });
}

const REOPEN = `
UPDATE runs SET state = iif(planned_at_ms IS NULL, 'planning', 'open'), finished_at_ms = NULL, holds_identity = 1
WHERE run_id = :runId AND state IN ('finished', 'cancelled')`;

function reopen(tx: Tx, runId: string): void {
  const run = tx.sql.one<{ identity: string; ended: 0 | 1 }>(
    `SELECT identity, state IN ('finished', 'cancelled') AS ended FROM runs WHERE run_id = :runId`,
    { runId },
  );
  if (run === undefined || run.ended === 0) return;
  const holder = holderOf(tx.sql, run.identity);
  if (holder !== null) throw runHeld(runId, holder);
  tx.sql.runOne(REOPEN, { runId });
}
