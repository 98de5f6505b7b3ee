import { parkedUntilMs } from '../../../domain/lane/breaker.ts';
import type { Failure } from '../../../domain/reason.ts';
import type { JobError } from '../../../domain/result.ts';
import { afterFailure, isRateLimit } from '../../../domain/retry.ts';
import { usesUpAttempt } from '../../counted-failure.ts';
import { storesForOthers } from '../../run-facts.ts';
import { type Applied, settled } from '../../settled.ts';
import type { Settled, StepOutcome } from '../../work.ts';
import { outlookOf } from '../runs/jobs.ts';
import { advancePutBack } from './advance.ts';
import { appendAttempt } from './attempts.ts';
import { endCall } from './end-call.ts';
import { failForGood } from './fail-for-good.ts';
import { keyFacts, rememberBad, rememberRetry, uncountAttempt } from './failures.ts';
import { loadLane } from './lanes.ts';
import { putBack } from './leases.ts';
import { parkTwins } from './parking.ts';
import { pauseFor } from './pauses.ts';
import { rejectResponse } from './settle-answer.ts';
import type { Settling } from './settling.ts';
import { type CallStep, callStep } from './step-row.ts';

type Failed = Extract<StepOutcome, { kind: 'failed' }>;

/** A call step failed: it is put back for later, or fails for good with its job and its twins; a fatal failure pauses its model or its lanes. */
export async function settleFailed(settling: Settling, outcome: Failed): Promise<Settled> {
  const { tx } = settling;
  const { failure } = outcome;
  const step = callStep(settling.step);
  const paused = await endCall(settling, outcome, failure.class === 'quality' ? null : failure);
  rejectResponse(tx, outcome.callToken);
  if (step.counted && !usesUpAttempt(failure)) uncountAttempt(tx, step.runId, step.key);
  if (failure.class === 'fatal') return pause(settling, step, outcome);
  return { ...(await retryOrFail(settling, step, outcome)), paused };
}

async function pause(settling: Settling, step: CallStep, outcome: Failed): Promise<Applied> {
  const { tx, run } = settling;
  append(settling, step, outcome, false);
  await putBack(tx, run, step, tx.nowMs);
  const paused = await pauseFor(tx, step, outcome.failure);
  return settled({ ...(await advancePutBack(tx, run, step)), paused });
}

async function retryOrFail(settling: Settling, step: CallStep, outcome: Failed): Promise<Applied> {
  const { tx, run } = settling;
  const { failure } = outcome;
  const facts = await keyFacts(tx.sql, step.runId, step.key);
  const waits = facts.waits + Number(isRateLimit(failure));
  const { attempts } = facts;
  const decision = afterFailure({ failure, attempts, waits, limits: run.settings.retry, nowMs: tx.nowMs, random: tx.random() });
  append(settling, step, outcome, decision.kind === 'final');
  if (decision.kind === 'final') return fail(settling, step, outcome);
  // A call that a person ended says nothing of its key: the twins in other jobs need not wait.
  const ended = failure.reason === 'cancelled' && (await outlookOf(tx, run, step)) !== 'open';
  const notBeforeMs = ended ? tx.nowMs : await beyondProbe(settling, step, failure, decision.notBeforeMs);
  rememberRetry(tx, step, { waits, notBeforeMs }, errorOf(failure));
  const state = await putBack(tx, run, step, notBeforeMs);
  parkTwins(tx, step.runId, step.key, notBeforeMs);
  const progress = await advancePutBack(tx, run, step);
  return settled({ ...progress, retryAtMs: state === 'queued' ? notBeforeMs : null });
}

async function fail({ tx, run }: Settling, step: CallStep, { failure, callToken }: Failed): Promise<Applied> {
  const error = errorOf(failure);
  if (failure.class === 'quality' && storesForOthers(run.settings.cacheMode)) rememberBad(tx, step.key, error, callToken);
  return settled({ ended: await failForGood(tx, step, error, callToken) });
}

/** While nothing but a probe is sent, a question that failed comes after the next probe, so that that is another one. */
async function beyondProbe({ tx, run }: Settling, step: CallStep, failure: Failure, notBeforeMs: number): Promise<number> {
  if (failure.class !== 'transient') return notBeforeMs;
  const parkedMs = parkedUntilMs((await loadLane(tx, run, step.laneId)).pace.breaker);
  return parkedMs === null ? notBeforeMs : Math.max(notBeforeMs, parkedMs + notBeforeMs - tx.nowMs);
}

/** The checks could not run: the job fails, its answer stays. */
export async function settleUnjudged({ tx, step }: Settling, outcome: Extract<StepOutcome, { kind: 'unjudged' }>): Promise<Settled> {
  if (step.kind !== 'finish') throw new Error(`Step ${step.stepId} (${step.kind}) runs no checks`);
  const error = errorOf(outcome.failure);
  appendAttempt(tx, step, { outcome: 'failed', callToken: null, failure: outcome.failure, counted: false, final: true });
  return settled({ ended: await failForGood(tx, step, error, null) });
}

function append({ tx }: Settling, step: CallStep, { callToken, failure }: Failed, final: boolean): void {
  appendAttempt(tx, step, { outcome: 'failed', callToken, failure, counted: step.counted && usesUpAttempt(failure), final });
}

function errorOf(failure: Failure): JobError {
  return { reason: failure.reason, message: failure.message };
}
