import type { JobError } from '../../../domain/result.ts';
import type { JobEnd } from '../../settled.ts';
import { failJob, noteAnswer } from '../runs/jobs.ts';
import type { Tx } from '../transactor.ts';
import { rememberFinal } from './failures.ts';
import { endStep } from './leases.ts';
import type { Step } from './step-row.ts';

const QUEUED_TWINS = `
SELECT step_id AS stepId, run_id AS runId, job_id AS jobId FROM steps
WHERE key = :key AND run_id = :runId AND state = 'queued' AND step_id <> :stepId`;

const FAIL_TWIN = `
UPDATE steps SET state = 'failed', outcome = 'failed', gate = NULL, parked = 0
WHERE step_id = :stepId AND state = 'queued'`;

type Twin = { readonly stepId: number; readonly runId: string; readonly jobId: string };

/**
 * The step, its job, and the queued twins of its key in this run fail with them. What the checks failed on stays the job's answer. How the
 * job ended, `again` where another of its steps had ended it before.
 */
export function failForGood(tx: Tx, step: Step, error: JobError, callToken: string | null): JobEnd {
  endStep(tx, step, { state: 'failed', outcome: 'failed', callToken });
  rememberFinal(tx, step.runId, step.failureKey, error);
  const end: JobEnd = { state: 'failed', error, ...(failJob(tx, step, error) ? {} : { again: true }) };
  if (step.key === null) {
    noteAnswer(tx, step);
    return end;
  }
  for (const twin of tx.sql.all<Twin>(QUEUED_TWINS, { key: step.key, runId: step.runId, stepId: step.stepId })) {
    // Failing an earlier twin may have cancelled this one, when both belong to one job.
    tx.sql.run(FAIL_TWIN, { stepId: twin.stepId });
    failJob(tx, twin, error);
  }
  return end;
}
