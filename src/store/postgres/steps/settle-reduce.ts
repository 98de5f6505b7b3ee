import type { FollowingStep } from '../../plan-rows.ts';
import type { RunFacts } from '../../run-facts.ts';
import { settled } from '../../settled.ts';
import type { Settled, StepOutcome } from '../../work.ts';
import { failJobs, outlookOf } from '../runs/jobs.ts';
import type { Tx } from '../transactor.ts';
import { advancePutBack } from './advance.ts';
import { isFree } from './answers.ts';
import { appendAttempt } from './attempts.ts';
import { forgetFailures } from './failures.ts';
import { insertSteps, type PlacedStep, type Prospect, prospectsOf } from './insert-steps.ts';
import { endStep } from './leases.ts';
import type { Settling } from './settling.ts';
import type { Step } from './step-row.ts';

/**
 * The parts are answered, and one more call makes an answer of them: the finish step ends without a verdict, and the call is queued in
 * the same transaction. When it is answered, the finish is started anew. Of a job that was cancelled nothing more is called.
 */
export async function settleReduce({ tx, run, step }: Settling, outcome: Extract<StepOutcome, { kind: 'reduce' }>): Promise<Settled> {
  const { runId, jobId, orderMs, seq } = step;
  const { laneId, freshAfterMs, requires } = await refuseUnlessDue(tx, step, outcome.step);
  appendAttempt(tx, step, { outcome: 'superseded', callToken: null, failure: null, counted: false, final: true });
  endStep(tx, step, { state: 'succeeded', outcome: 'superseded', callToken: null });
  forgetFailures(tx, runId, [step.failureKey]);
  const { key, kind } = outcome.step;
  const [prospect] = await prospectsOf(tx, run, [{ key, kind, freshAfterMs }]);
  if (prospect === undefined) throw new Error(`Nothing is known of ${key}`);
  const state = await stateOf(tx, run, step, prospect);
  // The finish stands where its job's first step did, and so does this.
  insertSteps(tx, run, [{ ...outcome.step, jobId, orderMs, seq, laneId, freshAfterMs, requires, state, prospect }]);
  if (prospect.bad === null) return settled(await advancePutBack(tx, run, step));
  await failJobs(tx, runId, [jobId], prospect.bad);
  return settled({ ended: { state: 'failed', error: prospect.bad } });
}

async function stateOf(tx: Tx, run: RunFacts, step: Step, { bad, answers }: Prospect): Promise<PlacedStep['state']> {
  if (bad !== null) return 'failed';
  const outlook = await outlookOf(tx, run, step);
  return outlook === 'open' || (outlook === 'ending' && isFree(answers)) ? 'queued' : 'cancelled';
}

// A worker cannot know lanes: their ids hold the hash of the planner's key. Where a person asked for new answers, that of what they are
// reduced to must be new as well.
const OF_JOB = `
SELECT EXISTS (
    SELECT 1 FROM steps s JOIN step_inputs i ON i.step_id = s.step_id
    WHERE s.run_id = :runId AND s.job_id = :jobId AND s.outcome IN ('answered', 'cached') AND i.input_kind = 'prompt') AS is_reduced,
  (SELECT lane_id FROM steps WHERE run_id = :runId AND job_id = :jobId AND lane_id IS NOT NULL ORDER BY step_id DESC LIMIT 1) AS lane_id,
  (SELECT requires FROM steps WHERE run_id = :runId AND job_id = :jobId AND lane_id IS NOT NULL ORDER BY step_id DESC LIMIT 1) AS requires,
  (SELECT max(fresh_after_ms) FROM steps WHERE run_id = :runId AND job_id = :jobId) AS fresh_after_ms`;

type OfJob = {
  readonly isReduced: boolean;
  readonly laneId: string | null;
  readonly requires: string | null;
  readonly freshAfterMs: number | null;
};

type Reduced = { readonly laneId: string; readonly requires: string; readonly freshAfterMs: number | null };

/** A job whose answers would be reduced again and again would never end. */
async function refuseUnlessDue(tx: Tx, step: Step, reduce: FollowingStep): Promise<Reduced> {
  const { stepId, kind, runId, jobId } = step;
  if (kind !== 'finish') throw new Error(`Step ${stepId} (${kind}) cannot reduce answers`);
  if (reduce.kind !== 'reduce' || reduce.input?.kind !== 'prompt') throw new Error(`Expected a reduce with its prompt, got ${reduce.kind}`);
  const job = await tx.sql.one<OfJob>(OF_JOB, { runId, jobId });
  if (job?.isReduced === true) throw new Error(`Job ${jobId} is reduced already`);
  if (job === undefined || job.laneId === null) throw new Error(`Job ${jobId} has no answers to reduce`);
  return { laneId: job.laneId, requires: job.requires ?? '', freshAfterMs: job.freshAfterMs };
}
