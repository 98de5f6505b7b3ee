import type { JobState } from '../../../domain/job.ts';
import type { RunFacts } from '../../run-facts.ts';
import type { JobEnd } from '../../settled.ts';
import type { Claim } from '../../work.ts';
import { cancelJob, syncJob } from '../runs/jobs.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { Tx } from '../transactor.ts';
import { claimOf, finishWork, type JobWork } from './claimed-work.ts';
import { lease } from './leases.ts';
import { STEP_COLUMNS, type Step } from './step-row.ts';

/** What became of a job after one of its call steps ended. */
export type Progress = { readonly finish: Claim | null; readonly ended: JobEnd | null };

const NOTHING: Progress = { finish: null, ended: null };

const COUNT_STEPS = `
SELECT (SELECT j.state FROM jobs j WHERE j.run_id = :runId AND j.job_id = :jobId) AS state,
  count(*) FILTER (WHERE state IN ('waiting', 'queued', 'running')) AS open, count(*) FILTER (WHERE state = 'cancelled') AS cancelled
FROM steps WHERE run_id = :runId AND job_id = :jobId`;

type Counted = { readonly state: JobState; readonly open: number; readonly cancelled: number };

/**
 * Moves a job on. While steps are open it only keeps the job's state; when all its call steps are done, its `finish` step is
 * inserted and leased to `owner` in the same transaction, so that nothing hangs between the last call and the verdict. A job that
 * lost steps to a cancel ends once nothing of it runs.
 */
export async function advanceJob(tx: Tx, run: RunFacts, jobId: string, owner: string): Promise<Progress> {
  const job = { runId: run.runId, jobId };
  const steps = await tx.sql.one<Counted>(COUNT_STEPS, job);
  if (steps === undefined || (steps.state !== 'queued' && steps.state !== 'running')) return NOTHING;
  if (steps.open > 0) {
    syncJob(tx, job);
    return NOTHING;
  }
  if (steps.cancelled > 0) return { finish: null, ended: { state: await cancelJob(tx, job), error: null } };
  return { finish: await startFinish(tx, run, jobId, owner), ended: null };
}

/** Moves a job on after a step was put back: no finish step can follow. */
export async function advancePutBack(tx: Tx, run: RunFacts, step: Step): Promise<{ readonly ended: JobEnd | null }> {
  const { finish, ended } = await advanceJob(tx, run, step.jobId, step.leaseOwner ?? '');
  if (finish !== null) throw new Error(`Job ${step.jobId} finished though a step of it was put back`);
  return { ended };
}

// A job that was asked afresh has the one of its earlier round, a reduced one that which asked for it.
const INSERT_FINISH = `
INSERT INTO steps AS f (run_id, job_id, kind, step_index, input_tokens, state, order_ms, seq, run_at_ms)
SELECT s.run_id, s.job_id, 'finish', 0, 0, 'queued', s.order_ms, s.seq, :nowMs FROM steps s
WHERE s.run_id = :runId AND s.job_id = :jobId ORDER BY s.step_id LIMIT 1
ON CONFLICT (run_id, job_id) WHERE kind = 'finish' DO UPDATE SET state = 'queued', outcome = NULL, run_at_ms = excluded.run_at_ms
WHERE f.state IN ('succeeded', 'failed', 'cancelled')`;

const SELECT_FINISH = `
SELECT ${STEP_COLUMNS} FROM steps s WHERE s.run_id = :runId AND s.job_id = :jobId AND s.kind = 'finish' AND s.state = 'queued'`;

async function startFinish(tx: Tx, run: RunFacts, jobId: string, owner: string): Promise<Claim> {
  const job = { runId: run.runId, jobId };
  tx.sql.sendOne(INSERT_FINISH, { ...job, nowMs: tx.nowMs });
  const [step, work] = await Promise.all([tx.sql.one<Step>(SELECT_FINISH, job), finishWork(tx, job)]);
  if (step === undefined) throw new Error(`Job ${jobId} has no finish step to lease`);
  return leaseFinish(tx, run, step, { owner, work });
}

type Finisher = { readonly owner: string; readonly work: JobWork };

/** Leases a queued finish step. */
export function leaseFinish(tx: Tx, run: RunFacts, step: Step, { owner, work }: Finisher): Claim {
  const held = lease(tx, run, { stepId: step.stepId, owner, gate: null });
  syncJob(tx, step);
  return claimOf(tx, step, held, work);
}

export const ADVANCE_STATEMENTS: StoredTexts = { rows: { COUNT_STEPS, SELECT_FINISH }, changes: { INSERT_FINISH } };
