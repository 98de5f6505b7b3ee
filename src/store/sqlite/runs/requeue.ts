import { askedAgain, isLost } from '../../asked-again.ts';
import { flightKeyOf, type RunFacts } from '../../run-facts.ts';
import { forgetBad, forgetFailures } from '../steps/failures.ts';
import { gateOf } from '../steps/hits.ts';
import { callStep, STEP_COLUMNS, type Step } from '../steps/step-row.ts';
import type { Tx } from '../transactor.ts';
import { syncJob } from './jobs.ts';

type JobRef = { readonly runId: string; readonly jobId: string };

const JOB_STEPS = `SELECT ${STEP_COLUMNS} FROM steps s WHERE s.run_id = :runId AND s.job_id = :jobId ORDER BY s.step_id`;

function stepsOf(tx: Tx, job: JobRef): readonly Step[] {
  return tx.sql.all<Step>(JOB_STEPS, job);
}

const REQUEUE_FAILED = `
UPDATE jobs SET state = 'queued', verdict = NULL, error_reason = NULL, error_message = NULL, ended_at_ms = NULL,
  artifacts_at_ms = NULL, cached = 0, answer_call_token = NULL
WHERE run_id = :runId AND job_id = :jobId AND state = 'failed'`;

/** What the job lost is asked again; the answers that it has stay, unless it failed for what they say together. */
export function requeueFailed(tx: Tx, run: RunFacts, jobId: string): void {
  const job = { runId: run.runId, jobId };
  const isOfNoUse = tx.sql.one(IS_OF_NO_USE, job) !== undefined;
  tx.sql.runOne(REQUEUE_FAILED, job);
  if (isOfNoUse) askAllAnew(tx, run, job);
  else askLost(tx, run, job);
}

// Its calls were answered, and their answers make no valid one: the same answers would fail it again.
const IS_OF_NO_USE = `
SELECT 1 AS found FROM jobs j JOIN steps s ON s.run_id = j.run_id AND s.job_id = j.job_id
WHERE j.run_id = :runId AND j.job_id = :jobId AND j.error_reason = 'invalid_answer' AND s.kind = 'finish' AND s.state = 'failed'`;

function askLost(tx: Tx, run: RunFacts, job: JobRef): void {
  const steps = stepsOf(tx, job);
  for (const step of steps) if (isLost(step)) forget(tx, step);
  for (const step of askedAgain(steps)) requeueStep(tx, run, step);
  syncJob(tx, job);
}

function forget(tx: Tx, step: Step): void {
  forgetFailures(tx, step.runId, step.failureKey);
  if (step.key !== null) forgetBad(tx, step.key);
}

// Its files would speak of a verdict that it has no more, so they count as unwritten at once.
const REQUEUE_WITH_RESULT = `
UPDATE jobs SET state = 'queued', verdict = NULL, ended_at_ms = NULL, artifacts_at_ms = NULL
WHERE run_id = :runId AND job_id = :jobId AND state = 'succeeded'`;

/** All its questions are asked anew, and no answer of before counts; the old result stays until the new one is there. */
export function requeueForNewAnswer(tx: Tx, run: RunFacts, jobId: string): void {
  const job = { runId: run.runId, jobId };
  tx.sql.runOne(REQUEUE_WITH_RESULT, job);
  askAllAnew(tx, run, job);
}

function askAllAnew(tx: Tx, run: RunFacts, job: JobRef): void {
  for (const step of stepsOf(tx, job)) {
    forgetFailures(tx, step.runId, step.failureKey);
    if (step.kind === 'reask') continue;
    const fresh = { ...step, freshAfterMs: step.key === null ? null : freshAfterMs(tx, run, step.key) };
    if (step.kind === 'reduce' || step.kind === 'finish') leaveStep(tx, fresh);
    else requeueStep(tx, run, fresh);
  }
  syncJob(tx, job);
}

const NEWEST_ANSWER = `
SELECT max(atMs) AS atMs FROM (
  SELECT max(judged_at_ms) AS atMs FROM responses WHERE run_id = :runId AND key = :key AND judgement = 'valid'
  UNION ALL SELECT max(recorded_at_ms) FROM responses WHERE key = :key AND judgement = 'none'
  UNION ALL SELECT stored_at_ms FROM cache WHERE key = :key)`;

/** Now; or later, when the clock was set back after the newest answer of the key. */
function freshAfterMs(tx: Tx, run: RunFacts, key: string): number {
  const atMs = tx.sql.one<{ atMs: number | null }>(NEWEST_ANSWER, { runId: run.runId, key })?.atMs ?? 0;
  return Math.max(tx.nowMs, atMs);
}

const REQUEUE_STEP = `
UPDATE steps SET state = 'queued', outcome = NULL, call_token = NULL, gate = :gate, flight_key = :flightKey, parked = 0, run_at_ms = :nowMs,
  fresh_after_ms = :freshAfterMs
WHERE step_id = :stepId AND state IN ('failed', 'cancelled', 'succeeded')`;

// Its answer mended one that is asked for again: nothing may rest on it, and a cancelled one must not end the job anew.
const LEAVE_REASKS = `
UPDATE steps SET state = 'succeeded', outcome = 'superseded'
WHERE run_id = :runId AND job_id = :jobId AND key = :key AND kind = 'reask' AND state IN ('succeeded', 'cancelled')`;

// Made of answers that are asked for again: another one follows. That the answer of a reduce must be new is kept for that one.
const LEAVE_STEP = `
UPDATE steps SET state = 'succeeded', outcome = 'superseded', call_token = NULL, fresh_after_ms = :freshAfterMs
WHERE step_id = :stepId AND state IN ('failed', 'cancelled', 'succeeded')`;

function leaveStep(tx: Tx, { stepId, runId, jobId, key, freshAfterMs }: Step): void {
  tx.sql.runOne(LEAVE_STEP, { stepId, freshAfterMs });
  if (key !== null) tx.sql.run(LEAVE_REASKS, { runId, jobId, key });
}

function requeueStep(tx: Tx, run: RunFacts, step: Step): void {
  const { stepId, runId, jobId, key, freshAfterMs } = step;
  const gate = step.kind === 'finish' ? null : gateOf(tx, run, callStep(step));
  const flightKey = key === null ? null : flightKeyOf(run, key);
  tx.sql.runOne(REQUEUE_STEP, { stepId, gate, flightKey, freshAfterMs, nowMs: tx.nowMs });
  if (key !== null) tx.sql.run(LEAVE_REASKS, { runId, jobId, key });
}
