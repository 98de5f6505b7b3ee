import { jobLabel } from '../domain/job.ts';
import { worstExplanation } from '../domain/worst-score.ts';
import { shownScore } from '../report/privacy.ts';
import type { JobRecord } from '../store/rows.ts';
import type { Claim, Settled, StepOutcome } from '../store/work.ts';
import { type EvaluateDependencies, evaluate } from './evaluate.ts';
import type { PauseCaused, PauseNews } from './pause-news.ts';

export type WorkerDependencies = EvaluateDependencies & {
  readonly pauses: PauseNews;
  /** Writes the artifacts of a job that just ended. */
  readonly project: (record: JobRecord) => Promise<void>;
};

/**
 * Works one claim to its end: evaluate, settle, and straight on to the finish step that the settle hands over. The job's
 * artifacts follow its settle; if they fail to be written the row still says so.
 */
export async function workClaim(claim: Claim, deps: WorkerDependencies): Promise<void> {
  const label = labelOf(claim, deps);
  if (claim.work.kind === 'call') deps.onEvent({ kind: 'job.started', jobId: claim.job.jobId, label });
  let next: Claim | null = claim;
  while (next !== null) {
    const current: Claim = next;
    const outcome = await evaluate(current, deps);
    if (outcome === null) return deps.onEvent({ kind: 'lease.lost', jobId: claim.job.jobId, label, resultKept: false });
    const settled = await deps.store.settle(current.token, outcome);
    if (!settled.applied) return deps.onEvent({ kind: 'lease.lost', jobId: claim.job.jobId, label, resultKept: true });
    tell({ claim: current, label, outcome, settled }, deps);
    if (settled.ended !== null) await ended(current, { label, isNews: settled.ended.again !== true }, deps);
    next = settled.finish;
  }
}

function labelOf({ job }: Claim, { manifest }: WorkerDependencies): string {
  return jobLabel(job, manifest.tasks[job.task]?.repeats);
}

type StepEnd = {
  readonly claim: Claim;
  readonly label: string;
  readonly outcome: StepOutcome;
  readonly settled: Extract<Settled, { applied: true }>;
};

function tell({ claim, label, outcome, settled }: StepEnd, deps: WorkerDependencies): void {
  const { jobId } = claim.job;
  if (outcome.kind === 'superseded') deps.onEvent({ kind: 'step.reask', jobId, label, errors: outcome.reask.errors });
  const failure = outcome.kind === 'failed' || outcome.kind === 'downgraded' ? outcome.failure : null;
  if (settled.paused !== null) tellPause({ paused: settled.paused, model: claim.job.model, failure }, deps);
  if (failure !== null && failure.class !== 'fatal' && settled.retryAtMs !== null)
    deps.onEvent({ kind: 'step.retry', jobId, label, failure, atMs: settled.retryAtMs });
}

function tellPause(caused: PauseCaused, { pauses, now, onEvent }: WorkerDependencies): void {
  const event = pauses.of(caused, now());
  if (event !== null) onEvent(event);
}

/** Its end is told once; what a later part of it says belongs into its files all the same. */
async function ended(claim: Claim, { label, isNews }: { label: string; isNews: boolean }, deps: WorkerDependencies): Promise<void> {
  const record = await deps.store.jobRecord(claim.runId, claim.job.jobId);
  if (record === null) throw new Error(`job ${claim.job.jobId} ended and is gone`);
  if (isNews) tellEnd(record, label, deps);
  await deps.project(record);
}

function tellEnd({ job }: JobRecord, label: string, deps: WorkerDependencies): void {
  const scores = job.result?.scores ?? [];
  deps.onEvent({
    kind: 'job.ended',
    jobId: job.jobId,
    label,
    state: job.state,
    verdict: job.verdict ?? 'error',
    cached: job.cached,
    error: job.error,
    explanation: worstExplanation(scores),
    bareExplanation: worstExplanation(scores.map(shownScore)),
  });
}
