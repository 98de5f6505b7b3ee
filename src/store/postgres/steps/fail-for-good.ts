import type { JobError } from '../../../domain/result.ts';
import type { JobEnd } from '../../settled.ts';
import { failJobs, noteAnswer } from '../runs/jobs.ts';
import type { Tx } from '../transactor.ts';
import { rememberFinal } from './failures.ts';
import { endStep } from './leases.ts';
import type { Step } from './step-row.ts';

const FAIL_TWINS = `
UPDATE steps SET state = 'failed', outcome = 'failed', gate = NULL, parked = false
WHERE key = :key AND run_id = :runId AND state = 'queued' AND step_id <> :stepId RETURNING job_id`;

/**
 * The step, its job, and the queued twins of its key in this run fail with them. What the checks failed on stays the job's answer. How the
 * job ended, `again` where another of its steps had ended it before.
 */
export async function failForGood(tx: Tx, step: Step, error: JobError, callToken: string | null): Promise<JobEnd> {
  const { runId, jobId, stepId, key } = step;
  endStep(tx, step, { state: 'failed', outcome: 'failed', callToken });
  rememberFinal(tx, runId, step.failureKey, error);
  if (key === null) {
    const ended = await failJobs(tx, runId, [jobId], error);
    noteAnswer(tx, step);
    return endOf(jobId, ended, error);
  }
  const twins = await tx.sql.all<{ jobId: string }>(FAIL_TWINS, { key, runId, stepId });
  return endOf(jobId, await failJobs(tx, runId, [jobId, ...twins.map((twin) => twin.jobId)], error), error);
}

function endOf(jobId: string, ended: ReadonlySet<string>, error: JobError): JobEnd {
  return { state: 'failed', error, ...(ended.has(jobId) ? {} : { again: true }) };
}
