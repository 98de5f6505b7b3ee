import { ownCallOutcome } from '../../own-call.ts';
import { NOT_APPLIED, settled } from '../../settled.ts';
import type { Settled, StepOutcome } from '../../work.ts';
import { succeedJob } from '../runs/jobs.ts';
import { noteActive } from '../runs/progress.ts';
import { runFacts } from '../runs/run-facts.ts';
import type { Tx } from '../transactor.ts';
import { advancePutBack } from './advance.ts';
import { appendAttempt } from './attempts.ts';
import { rememberMode } from './claimed-work.ts';
import { endCall } from './end-call.ts';
import { countAttempt, forgetFailures, uncountAttempt } from './failures.ts';
import { noteSent } from './lane-news.ts';
import { endStep, putBack } from './leases.ts';
import { abandonCall, sendCall, settleUnknownCall } from './ledger.ts';
import { noteAlive } from './reap.ts';
import { settleAnswered, settleSuperseded } from './settle-answer.ts';
import { settleFailed, settleUnjudged } from './settle-failure.ts';
import { settleReduce } from './settle-reduce.ts';
import type { Settling } from './settling.ts';
import { callStep, type Step, stepOfLease } from './step-row.ts';

/**
 * Ends a leased step as `outcome` says. Fenced by the token: a worker that lost its lease changes nothing but the ledger's row of
 * its own call, so that what it paid is known.
 */
export function settle(tx: Tx, token: string, outcome: StepOutcome): Settled {
  const step = stepOfLease(tx.sql, token);
  if (step === undefined) {
    const call = ownCallOutcome(token, outcome);
    if (call !== null) settleUnknownCall(tx, token, call);
    return NOT_APPLIED;
  }
  const run = runFacts(tx.sql, step.runId);
  noteActive(tx, run);
  const reply = apply({ tx, run, step, token }, outcome);
  // The ledger has no open row without a lease: an outcome that speaks of another call leaves the lease's own one unused.
  abandonCall(tx, token);
  return reply;
}

function apply(settling: Settling, outcome: StepOutcome): Settled {
  switch (outcome.kind) {
    case 'answered':
      return settleAnswered(settling, outcome);
    case 'superseded':
      return settleSuperseded(settling, outcome);
    case 'failed':
      return settleFailed(settling, outcome);
    case 'downgraded':
      return settleDowngraded(settling, outcome);
    case 'handed_back':
      return handBack(settling);
    case 'finished':
      return settleFinished(settling, outcome);
    case 'reduce':
      return settleReduce(settling, outcome);
    case 'unjudged':
      return settleUnjudged(settling, outcome);
  }
}

function settleDowngraded(settling: Settling, outcome: Extract<StepOutcome, { kind: 'downgraded' }>): Settled {
  const { tx, run, token } = settling;
  const step = callStep(settling.step);
  const paused = endCall(settling, { callToken: token, call: outcome.call }, outcome.failure);
  if (step.counted === 1) uncountAttempt(tx, step.runId, step.key);
  if (outcome.mode !== null) rememberMode(tx, step.stepId, outcome.mode);
  appendAttempt(tx, step, { outcome: 'downgraded', callToken: token, failure: outcome.failure, counted: false, final: false });
  putBack(tx, run, step, tx.nowMs);
  return settled({ ...advancePutBack(tx, run, step), paused });
}

/** Gives a step back that was not worked on. A call that was sent all the same stays counted: it may be billed. */
export function handBack({ tx, run, step, token }: Settling): Settled {
  abandonCall(tx, token);
  appendAttempt(tx, step, { outcome: 'handed_back', callToken: token, failure: null, counted: step.counted === 1, final: false });
  putBack(tx, run, step, tx.nowMs);
  return settled(advancePutBack(tx, run, step));
}

function settleFinished({ tx, step }: Settling, outcome: Extract<StepOutcome, { kind: 'finished' }>): Settled {
  refuseUnlessFinish(step);
  appendAttempt(tx, step, { outcome: 'succeeded', callToken: null, failure: null, counted: false, final: true });
  endStep(tx, step, { state: 'succeeded', outcome: 'finished', callToken: null });
  forgetFailures(tx, step.runId, step.failureKey);
  succeedJob(tx, step, outcome.result);
  return settled({ ended: { state: 'succeeded', error: null } });
}

function refuseUnlessFinish(step: Step): void {
  if (step.kind !== 'finish') throw new Error(`Step ${step.stepId} (${step.kind}) cannot set a verdict`);
}

const COUNT_ON_LEASE = `UPDATE steps SET counted = 1 WHERE step_id = :stepId AND lease_token = :token AND state = 'running'`;

/**
 * The call leaves now: the attempt counts from here on. False when the lease is lost, or is given back here because the deadline has
 * passed. One that ran out and that nobody took is renewed: to refuse it would leave the step with a worker that has let go of it.
 */
export function markSent(tx: Tx, token: string): boolean {
  const step = stepOfLease(tx.sql, token);
  if (step?.leaseOwner == null || step.deadlineAtMs === null) return false;
  if (step.deadlineAtMs <= tx.nowMs) {
    handBack({ tx, run: runFacts(tx.sql, step.runId), step, token });
    return false;
  }
  if (!sendCall(tx, token)) return false;
  noteAlive(tx, step.leaseOwner);
  tx.sql.runOne(COUNT_ON_LEASE, { stepId: step.stepId, token });
  countAttempt(tx, step.runId, step.failureKey);
  noteSent(tx, runFacts(tx.sql, step.runId), callStep(step), token);
  return true;
}
