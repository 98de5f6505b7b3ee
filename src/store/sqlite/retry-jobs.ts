import { UserError } from '../../domain/errors.ts';
import type { RetrySelection } from '../plan-rows.ts';
import { forgetBad, forgetFailures } from './failures.ts';
import { gateOf } from './hits.ts';
import { summaryIsStale, syncJob } from './jobs.ts';
import { clearPauses } from './lanes.ts';
import { flightKeyOf, type RunFacts, runFacts } from './run-facts.ts';
import { holderOf } from './runs.ts';
import { callStep, STEP_COLUMNS, type Step } from './step-row.ts';
import type { Tx } from './transactor.ts';

const STATE_REFUSES = 7;

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

/** Requeues failed jobs, with fresh attempts and their history kept, and reopens the run. */
export function retryJobs(tx: Tx, runId: string, selection: RetrySelection): { requeued: number } {
  const jobs = tx.sql.all<{ jobId: string }>(WITH_TWINS, {
    runId,
    jobIds: selection.jobIds === null ? null : JSON.stringify(selection.jobIds),
    reasons: selection.reasons === null ? null : JSON.stringify(selection.reasons),
  });
  if (jobs.length === 0) return { requeued: 0 };
  reopen(tx, runId);
  const run = runFacts(tx.sql, runId);
  for (const { jobId } of jobs) requeueJob(tx, run, jobId);
  clearPauses(tx, runId);
  summaryIsStale(tx, runId);
  return { requeued: jobs.length };
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
  if (holder !== null) {
    throw new UserError({
      code: 'E20',
      exitCode: STATE_REFUSES,
      message: `run ${runId} cannot be opened again: run ${holder} of the same manifest is unfinished.`,
      next: [`aieval cancel ${holder}`, `aieval retry ${holder}`],
    });
  }
  tx.sql.runOne(REOPEN, { runId });
}

const REQUEUE_JOB = `
UPDATE jobs SET state = 'queued', verdict = NULL, error_reason = NULL, error_message = NULL, ended_at_ms = NULL,
  artifacts_at_ms = NULL, cached = 0, answer_call_token = NULL
WHERE run_id = :runId AND job_id = :jobId AND state = 'failed'`;

const JOB_STEPS = `SELECT ${STEP_COLUMNS} FROM steps s WHERE s.run_id = :runId AND s.job_id = :jobId ORDER BY s.step_id`;

function requeueJob(tx: Tx, run: RunFacts, jobId: string): void {
  const job = { runId: run.runId, jobId };
  tx.sql.runOne(REQUEUE_JOB, job);
  const steps = tx.sql.all<Step>(JOB_STEPS, job);
  for (const step of steps) if (isLost(step)) forget(tx, step);
  for (const step of steps.filter((step) => isAskedAgain(step, steps))) requeueStep(tx, run, step);
  syncJob(tx, job);
}

function forget(tx: Tx, step: Step): void {
  forgetFailures(tx, step.runId, step.failureKey);
  if (step.key !== null) forgetBad(tx, step.key);
}

/** A re-ask that failed is history: the step that it was to mend is asked afresh in its place. */
function isAskedAgain(step: Step, steps: readonly Step[]): boolean {
  if (step.kind === 'reask') return false;
  if (isLost(step)) return true;
  const lastReask = steps.findLast((other) => other.kind === 'reask' && other.key === step.key);
  return step.state === 'succeeded' && lastReask !== undefined && isLost(lastReask);
}

function isLost(step: Step): boolean {
  return step.state === 'failed' || step.state === 'cancelled';
}

const REQUEUE_STEP = `
UPDATE steps SET state = 'queued', outcome = NULL, call_token = NULL, gate = :gate, flight_key = :flightKey, parked = 0, run_at_ms = :nowMs
WHERE step_id = :stepId AND state IN ('failed', 'cancelled', 'succeeded')`;

function requeueStep(tx: Tx, run: RunFacts, step: Step): void {
  const gate = step.kind === 'finish' ? null : gateOf(tx, run, callStep(step));
  const flightKey = step.key === null ? null : flightKeyOf(run, step.key);
  tx.sql.runOne(REQUEUE_STEP, { stepId: step.stepId, gate, flightKey, nowMs: tx.nowMs });
}
