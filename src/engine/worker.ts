import { jobLabel } from '../domain/job.ts';
import type { WorkedStep } from '../domain/work-news.ts';
import { worstExplanation } from '../domain/worst-score.ts';
import { shownScore } from '../report/privacy.ts';
import type { JobRecord } from '../store/rows.ts';
import type { Claim, Settled, StepOutcome } from '../store/work.ts';
import { type EvaluateDependencies, evaluate } from './evaluate.ts';
import type { PauseCaused, PauseNews } from './pause-news.ts';
import { wordlessFailure, workedStep } from './worked-step.ts';

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
  if (claim.work.kind === 'call') deps.onEvent({ kind: 'job.started', runId: claim.runId, jobId: claim.job.jobId, label });
  let next: Claim | null = claim;
  while (next !== null) {
    const current: Claim = next;
    const step = workedStep(current, deps.manifest, deps.workerId);
    deps.onWork?.({ kind: 'step.started', step, atMs: deps.now() });
    const outcome = await evaluate(current, deps);
    if (outcome === null) return tellLost({ label, step, resultKept: false }, deps);
    const settled = await deps.store.settle(current.token, outcome);
    if (!settled.applied) return tellLost({ label, step, resultKept: true }, deps);
    tell({ claim: current, label, step, outcome, settled }, deps);
    if (settled.ended !== null) await ended(current, { label, step, isNews: settled.ended.again !== true }, deps);
    next = settled.finish;
  }
}

function labelOf({ job }: Claim, { manifest }: WorkerDependencies): string {
  return jobLabel(job, manifest.tasks[job.task]?.repeats);
}

function tellLost({ label, step, resultKept }: Worked & { readonly resultKept: boolean }, deps: WorkerDependencies): void {
  deps.onEvent({ kind: 'lease.lost', runId: step.runId, jobId: step.jobId, label, resultKept });
  deps.onWork?.({ kind: 'step.ended', step, atMs: deps.now(), outcome: 'lost', failure: null, retryAtMs: null });
}

type Worked = { readonly label: string; readonly step: WorkedStep };

type StepEnd = Worked & {
  readonly claim: Claim;
  readonly outcome: StepOutcome;
  readonly settled: Extract<Settled, { applied: true }>;
};

function tell({ claim, label, step, outcome, settled }: StepEnd, deps: WorkerDependencies): void {
  const { runId } = claim;
  const { jobId } = claim.job;
  if (outcome.kind === 'superseded') deps.onEvent({ kind: 'step.reask', runId, jobId, label, errors: outcome.reask.errors });
  const failure = outcome.kind === 'failed' || outcome.kind === 'downgraded' ? outcome.failure : null;
  const known = 'failure' in outcome ? wordlessFailure(outcome.failure) : null;
  const { retryAtMs } = settled;
  deps.onWork?.({ kind: 'step.ended', step, atMs: deps.now(), outcome: outcome.kind, failure: known, retryAtMs });
  if (settled.paused !== null) tellPause({ paused: settled.paused, model: claim.job.model, failure }, deps);
  if (failure !== null && failure.class !== 'fatal' && settled.retryAtMs !== null)
    deps.onEvent({ kind: 'step.retry', runId, jobId, label, failure, atMs: settled.retryAtMs });
}

function tellPause(caused: PauseCaused, { pauses, now, onEvent }: WorkerDependencies): void {
  const event = pauses.of(caused, now());
  if (event !== null) onEvent(event);
}

/** Its end is told once; what a later part of it says belongs into its files all the same. */
async function ended(claim: Claim, { isNews, ...worked }: Worked & { readonly isNews: boolean }, deps: WorkerDependencies): Promise<void> {
  const record = await deps.store.jobRecord(claim.runId, claim.job.jobId);
  if (record === null) throw new Error(`job ${claim.job.jobId} ended and is gone`);
  if (isNews) tellEnd(record, worked, deps);
  await deps.project(record);
}

function tellEnd({ job }: JobRecord, { label, step }: Worked, deps: WorkerDependencies): void {
  const scores = job.result?.scores ?? [];
  const { state, cached, error } = job;
  const verdict = job.verdict ?? 'error';
  deps.onWork?.({ kind: 'job.ended', step, atMs: deps.now(), state, verdict, cached, reason: error?.reason ?? null });
  deps.onEvent({
    kind: 'job.ended',
    runId: step.runId,
    jobId: job.jobId,
    label,
    state,
    verdict,
    cached,
    error,
    explanation: worstExplanation(scores),
    bareExplanation: worstExplanation(scores.map(shownScore)),
  });
}
