import type { RunFacts } from '../../run-facts.ts';
import type { JobEnd } from '../../settled.ts';
import type { Claim } from '../../work.ts';
import { cancelJob, jobState, syncJob } from '../runs/jobs.ts';
import type { Tx } from '../transactor.ts';
import { claimOf, finishWork } from './claimed-work.ts';
import { lease } from './leases.ts';
import { STEP_COLUMNS, type Step } from './step-row.ts';

/** What became of a job after one of its call steps ended. */
export type Progress = { readonly finish: Claim | null; readonly ended: JobEnd | null };

const NOTHING: Progress = { finish: null, ended: null };

const COUNT_STEPS = `
SELECT count(*) FILTER (WHERE state IN ('waiting', 'queued', 'running')) AS open,
  count(*) FILTER (WHERE state = 'cancelled') AS cancelled
FROM steps WHERE run_id = :runId AND job_id = :jobId`;

/**
 * Moves a job on. While steps are open it only keeps the job's state; when all its call steps are done, its `finish` step is
 * inserted and leased to `owner` in the same transaction, so that nothing hangs between the last call and the verdict. A job that
 * lost steps to a cancel ends once nothing of it runs.
 */
export function advanceJob(tx: Tx, run: RunFacts, jobId: string, owner: string): Progress {
  const job = { runId: run.runId, jobId };
  const state = jobState(tx, job);
  if (state !== 'queued' && state !== 'running') return NOTHING;
  const steps = tx.sql.one<{ open: number; cancelled: number }>(COUNT_STEPS, job);
  if (steps === undefined || steps.open > 0) {
    syncJob(tx, job);
    return NOTHING;
  }
  if (steps.cancelled > 0) return { finish: null, ended: { state: cancelJob(tx, job), error: null } };
  return { finish: startFinish(tx, run, jobId, owner), ended: null };
}

/** Moves a job on after a step was put back: no finish step can follow. */
export function advancePutBack(tx: Tx, run: RunFacts, step: Step): { readonly ended: JobEnd | null } {
  const { finish, ended } = advanceJob(tx, run, step.jobId, step.leaseOwner ?? '');
  if (finish !== null) throw new Error(`Job ${step.jobId} finished though a step of it was put back`);
  return { ended };
}

// A job that was asked afresh has the one of its earlier round, a reduced one that which asked for it.
const INSERT_FINISH = `
INSERT INTO steps (run_id, job_id, kind, step_index, input_tokens, state, order_ms, seq, run_at_ms)
SELECT run_id, job_id, 'finish', 0, 0, 'queued', order_ms, seq, :nowMs FROM steps
WHERE run_id = :runId AND job_id = :jobId ORDER BY step_id LIMIT 1
ON CONFLICT (run_id, job_id) WHERE kind = 'finish' DO UPDATE SET state = 'queued', outcome = NULL, run_at_ms = excluded.run_at_ms
WHERE state IN ('succeeded', 'failed', 'cancelled')`;

const SELECT_FINISH = `
SELECT ${STEP_COLUMNS} FROM steps s WHERE s.run_id = :runId AND s.job_id = :jobId AND s.kind = 'finish' AND s.state = 'queued'`;

function startFinish(tx: Tx, run: RunFacts, jobId: string, owner: string): Claim {
  const job = { runId: run.runId, jobId };
  tx.sql.runOne(INSERT_FINISH, { ...job, nowMs: tx.nowMs });
  const step = tx.sql.one<Step>(SELECT_FINISH, job);
  if (step === undefined) throw new Error(`Job ${jobId} has no finish step to lease`);
  return leaseFinish(tx, run, step, owner);
}

/** Leases a queued finish step. */
export function leaseFinish(tx: Tx, run: RunFacts, step: Step, owner: string): Claim {
  const held = lease(tx, run, { stepId: step.stepId, owner, gate: null });
  syncJob(tx, step);
  return claimOf(tx, step, held, finishWork(tx, step));
}
