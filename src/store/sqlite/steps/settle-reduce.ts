import type { FollowingStep } from '../../plan-rows.ts';
import type { RunFacts } from '../../run-facts.ts';
import { settled } from '../../settled.ts';
import type { Settled, StepOutcome } from '../../work.ts';
import { failJob, outlookOf } from '../runs/jobs.ts';
import type { Tx } from '../transactor.ts';
import { advancePutBack } from './advance.ts';
import { appendAttempt } from './attempts.ts';
import { forgetFailures } from './failures.ts';
import { badAnswerTo, insertStep, isFree, type StepPlace } from './insert-step.ts';
import { endStep } from './leases.ts';
import type { Settling } from './settling.ts';
import type { Step } from './step-row.ts';

/**
 * The parts are answered, and one more call makes an answer of them: the finish step ends without a verdict, and the call is queued in
 * the same transaction. When it is answered, the finish is started anew. Of a job that was cancelled nothing more is called.
 */
export function settleReduce({ tx, run, step }: Settling, outcome: Extract<StepOutcome, { kind: 'reduce' }>): Settled {
  refuseUnlessDue(tx, step, outcome.step);
  appendAttempt(tx, step, { outcome: 'superseded', callToken: null, failure: null, counted: false, final: true });
  endStep(tx, step, { state: 'succeeded', outcome: 'superseded', callToken: null });
  forgetFailures(tx, step.runId, step.failureKey);
  const place = placeOf(tx, step);
  const reduce = { ...outcome.step, laneId: place.laneId };
  const known = badAnswerTo(tx, run, reduce, place.freshAfterMs);
  insertStep(tx, run, place, {
    ...reduce,
    state: known !== null ? 'failed' : isStillAsked(tx, run, place, reduce) ? 'queued' : 'cancelled',
  });
  if (known === null) return settled(advancePutBack(tx, run, step));
  failJob(tx, step, known);
  return settled({ ended: { state: 'failed', error: known } });
}

const IS_REDUCED = `
SELECT 1 AS found FROM steps s JOIN step_inputs i ON i.step_id = s.step_id
WHERE s.run_id = :runId AND s.job_id = :jobId AND s.outcome IN ('answered', 'cached') AND i.input ->> '$.kind' = 'prompt' LIMIT 1`;

/** A job whose answers would be reduced again and again would never end. */
function refuseUnlessDue(tx: Tx, { stepId, kind, runId, jobId }: Step, reduce: FollowingStep): void {
  if (kind !== 'finish') throw new Error(`Step ${stepId} (${kind}) cannot reduce answers`);
  if (reduce.kind !== 'reduce' || reduce.input?.kind !== 'prompt') throw new Error(`Expected a reduce with its prompt, got ${reduce.kind}`);
  if (tx.sql.one(IS_REDUCED, { runId, jobId }) !== undefined) throw new Error(`Job ${jobId} is reduced already`);
}

// Where a person asked for new answers, that of what they are reduced to must be new as well. A worker cannot know lanes: their ids hold the
// hash of the planner's key.
const OF_JOB = `
SELECT lane_id AS laneId, requires, (SELECT max(fresh_after_ms) FROM steps WHERE run_id = :runId AND job_id = :jobId) AS freshAfterMs
FROM steps WHERE run_id = :runId AND job_id = :jobId AND lane_id IS NOT NULL ORDER BY step_id DESC LIMIT 1`;

/** The finish stands where its job's first step did; what its call draws on and needs is as of the parts. */
function placeOf(tx: Tx, { runId, jobId, orderMs, seq }: Step): StepPlace & { readonly laneId: string } {
  const ofJob = tx.sql.one<Pick<StepPlace, 'freshAfterMs' | 'requires'> & { laneId: string }>(OF_JOB, { runId, jobId });
  if (ofJob === undefined) throw new Error(`Job ${jobId} has no answers to reduce`);
  return { jobId, orderMs, seq, ...ofJob };
}

function isStillAsked(tx: Tx, run: RunFacts, { jobId, freshAfterMs }: StepPlace, { key, kind }: FollowingStep): boolean {
  const outlook = outlookOf(tx, run, { runId: run.runId, jobId });
  return outlook === 'open' || (outlook === 'ending' && isFree(tx, run, { key, kind, freshAfterMs }));
}
