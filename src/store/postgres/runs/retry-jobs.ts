import type { RetryHow, RetrySelection, RetryTerms } from '../../plan-rows.ts';
import type { RetriedJob, RetryOutlook } from '../../rows.ts';
import { runGone } from '../../run-gone.ts';
import { runHeld } from '../../run-held.ts';
import { toJsonb } from '../sql.ts';
import { clearPauses } from '../steps/pauses.ts';
import type { Tx } from '../transactor.ts';
import { hintAtWork } from '../work-hint.ts';
import { summaryIsStale } from './jobs.ts';
import { eachOpenCall } from './open-calls.ts';
import { refuseDeepQueue } from './queue-depth.ts';
import { requeueFailed, requeueForNewAnswer } from './requeue.ts';
import { runFacts } from './run-facts.ts';
import { getRun, holderOf } from './runs.ts';

// Jobs of a document without usable text have no steps: asking again would change nothing. Failure belongs to the key: asking it again is
// asking for all that failed with it.
const FAILED_WITH_TWINS = `
WITH selected AS (
  SELECT j.job_id FROM jobs j
  WHERE j.run_id = :runId AND j.state = 'failed'
    AND (:jobIds::text[] IS NULL OR j.job_id = ANY (:jobIds))
    AND (:reasons::text[] IS NULL OR j.error_reason = ANY (:reasons))
    AND EXISTS (SELECT 1 FROM steps s WHERE s.run_id = j.run_id AND s.job_id = j.job_id)),
  failed_keys AS (
    SELECT DISTINCT s.key FROM selected x JOIN steps s ON s.run_id = :runId AND s.job_id = x.job_id
    WHERE s.state = 'failed' AND s.key IS NOT NULL)
SELECT job_id FROM selected
UNION
SELECT t.job_id FROM failed_keys k
  JOIN steps t ON t.run_id = :runId AND t.key = k.key AND t.state = 'failed'
  JOIN jobs j ON j.run_id = t.run_id AND j.job_id = t.job_id AND j.state = 'failed'
ORDER BY job_id`;

// A job that fails its checks shares nothing with its twins: they rest on answers of their own choice, or may have passed.
const WITH_VERDICT_FAIL = `
SELECT j.job_id FROM jobs j
WHERE j.run_id = :runId AND j.state = 'succeeded' AND j.verdict = 'fail' AND (:jobIds::text[] IS NULL OR j.job_id = ANY (:jobIds))
ORDER BY j.seq`;

/**
 * Requeues jobs, with fresh attempts and their history kept, and reopens the run; under another budget, if `terms` name one. Throws
 * `UserError` (E48) when they are too many.
 */
export async function retryJobs(tx: Tx, runId: string, selection: RetrySelection, how: RetryHow = {}): Promise<{ requeued: number }> {
  const { terms, maxQueueDepth = null } = how;
  const jobIds = await selectJobs(tx, runId, selection);
  if (jobIds.length === 0) return { requeued: 0 };
  await refuseDeepQueue(tx, jobIds.length, maxQueueDepth);
  await reopen(tx, runId);
  if (terms !== undefined) await setBudget(tx, runId, terms);
  const run = await runFacts(tx.sql, runId);
  const requeue = selection.of === 'dlq' ? requeueFailed : requeueForNewAnswer;
  await requeue(tx, run, jobIds);
  await clearPauses(tx, runId);
  summaryIsStale(tx, runId);
  hintAtWork(tx);
  return { requeued: jobIds.length };
}

async function selectJobs(tx: Tx, runId: string, { of, jobIds, reasons }: RetrySelection): Promise<readonly string[]> {
  const rows =
    of === 'failed'
      ? await tx.sql.all<{ jobId: string }>(WITH_VERDICT_FAIL, { runId, jobIds })
      : await tx.sql.all<{ jobId: string }>(FAILED_WITH_TWINS, { runId, jobIds, reasons });
  return rows.map(({ jobId }) => jobId);
}

const SELECT_RETRIED = `
SELECT job_id, document_id, task, model, repeat, error_reason AS reason FROM jobs
WHERE run_id = :runId AND job_id = ANY (:jobIds::text[]) ORDER BY seq`;

/** What `retryJobs` would do. It is done and taken back: what is asked again, and what needs a call for it, is decided in one place. */
export async function retryOutlook(tx: Tx, runId: string, selection: RetrySelection): Promise<RetryOutlook> {
  const jobIds = await selectJobs(tx, runId, selection);
  const jobs = await tx.sql.all<RetriedJob>(SELECT_RETRIED, { runId, jobIds });
  tx.sql.send('SAVEPOINT outlook');
  await retryJobs(tx, runId, selection);
  const calls = await eachOpenCall(tx.sql, runId);
  tx.sql.send('ROLLBACK TO outlook');
  tx.sql.send('RELEASE outlook');
  return { jobs, calls };
}

const SET_BUDGET = `
UPDATE runs SET settings = jsonb_set(settings, '{budget}', :budget::jsonb), manifest = :manifest WHERE run_id = :runId`;

/** As `run` gives a run that it joins the settings of its start. The manifest is kept as it is written, so all of it is written anew. */
async function setBudget(tx: Tx, runId: string, { budget, manifestBudget }: RetryTerms): Promise<void> {
  const run = await getRun(tx.sql, runId);
  if (run === null) throw runGone(runId);
  const manifest = JSON.stringify({ ...run.manifest, budget: manifestBudget });
  tx.sql.sendOne(SET_BUDGET, { runId, budget: toJsonb(budget), manifest });
}

const IDENTITY = `SELECT identity, state IN ('finished', 'cancelled') AS ended FROM runs WHERE run_id = :runId`;
const REOPEN = `
UPDATE runs SET state = CASE WHEN planned_at_ms IS NULL THEN 'planning' ELSE 'open' END, finished_at_ms = NULL, holds_identity = true
WHERE run_id = :runId AND state IN ('finished', 'cancelled')`;

async function reopen(tx: Tx, runId: string): Promise<void> {
  const run = await tx.sql.one<{ identity: string; ended: boolean }>(IDENTITY, { runId });
  if (run === undefined || !run.ended) return;
  const holder = await holderOf(tx.sql, run.identity);
  if (holder !== null) throw runHeld(runId, holder);
  tx.sql.sendOne(REOPEN, { runId });
}
