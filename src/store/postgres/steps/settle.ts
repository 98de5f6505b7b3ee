import { ownCallOutcome } from '../../own-call.ts';
import type { RunFacts } from '../../run-facts.ts';
import { NOT_APPLIED, settled } from '../../settled.ts';
import type { Settled, StepOutcome } from '../../work.ts';
import { succeedJob } from '../runs/jobs.ts';
import { noteActive } from '../runs/progress.ts';
import { runOfLease } from '../runs/run-facts.ts';
import type { Sql } from '../sql.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { Tx } from '../transactor.ts';
import { advancePutBack } from './advance.ts';
import { noteAlive, signsOf } from './alive.ts';
import { appendAttempt } from './attempts.ts';
import { rememberMode } from './claimed-work.ts';
import { endCall } from './end-call.ts';
import { countAttempt, forgetFailures, uncountAttempt } from './failures.ts';
import { laneGrant, noteSent } from './lane-news.ts';
import { endStep, putBack } from './leases.ts';
import { abandonCall, sendCall, settleUnknownCall } from './ledger.ts';
import { settleAnswered, settleSuperseded } from './settle-answer.ts';
import { settleFailed, settleUnjudged } from './settle-failure.ts';
import { settleReduce } from './settle-reduce.ts';
import type { Settling } from './settling.ts';
import { callStep, type Step, stepOfLease } from './step-row.ts';

/** What a lease is of; nothing when it was lost. */
export type Leased = readonly [Step | undefined, RunFacts | undefined];

/** Asked with the locks, because it needs no time. */
export function leased(sql: Sql, token: string): Promise<Leased> {
  return Promise.all([stepOfLease(sql, token), runOfLease(sql, token)]);
}

/**
 * Ends a leased step as `outcome` says. Fenced by the token: a worker that lost its lease changes nothing but the ledger's row of
 * its own call, so that what it paid is known.
 */
export async function settle(tx: Tx, token: string, outcome: StepOutcome, [step, run]: Leased): Promise<Settled> {
  if (step === undefined || run === undefined) {
    const call = ownCallOutcome(token, outcome);
    if (call !== null) await settleUnknownCall(tx, token, call);
    return NOT_APPLIED;
  }
  noteActive(tx, run);
  const reply = await apply({ tx, run, step, token }, outcome);
  // The ledger has no open row without a lease: an outcome that speaks of another call leaves the lease's own one unused.
  if (step.kind !== 'finish' && ownCallOutcome(token, outcome) === null) await abandonCall(tx, token);
  return reply;
}

function apply(settling: Settling, outcome: StepOutcome): Promise<Settled> {
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

async function settleDowngraded(settling: Settling, outcome: Extract<StepOutcome, { kind: 'downgraded' }>): Promise<Settled> {
  const { tx, run, token } = settling;
  const step = callStep(settling.step);
  const paused = await endCall(settling, { callToken: token, call: outcome.call }, outcome.failure);
  if (step.counted) uncountAttempt(tx, step.runId, step.key);
  if (outcome.mode !== null) rememberMode(tx, step.stepId, outcome.mode);
  appendAttempt(tx, step, { outcome: 'downgraded', callToken: token, failure: outcome.failure, counted: false, final: false });
  await putBack(tx, run, step, tx.nowMs);
  return settled({ ...(await advancePutBack(tx, run, step)), paused });
}

/** Gives a step back that was not worked on. A call that was sent all the same stays counted: it may be billed. */
export async function handBack({ tx, run, step, token }: Settling): Promise<Settled> {
  await abandonCall(tx, token);
  appendAttempt(tx, step, { outcome: 'handed_back', callToken: token, failure: null, counted: step.counted, final: false });
  await putBack(tx, run, step, tx.nowMs);
  return settled(await advancePutBack(tx, run, step));
}

async function settleFinished({ tx, step }: Settling, outcome: Extract<StepOutcome, { kind: 'finished' }>): Promise<Settled> {
  refuseUnlessFinish(step);
  appendAttempt(tx, step, { outcome: 'succeeded', callToken: null, failure: null, counted: false, final: true });
  endStep(tx, step, { state: 'succeeded', outcome: 'finished', callToken: null });
  forgetFailures(tx, step.runId, [step.failureKey]);
  succeedJob(tx, step, outcome.result);
  return settled({ ended: { state: 'succeeded', error: null } });
}

function refuseUnlessFinish(step: Step): void {
  if (step.kind !== 'finish') throw new Error(`Step ${step.stepId} (${step.kind}) cannot set a verdict`);
}

const COUNT_ON_LEASE = `UPDATE steps SET counted = true WHERE step_id = :stepId AND lease_token = :token AND state = 'running'`;

/**
 * The call leaves now: the attempt counts from here on. False when the lease is lost, or is given back here because the deadline has
 * passed. One that ran out and that nobody took is renewed: to refuse it would leave the step with a worker that has let go of it.
 */
export async function markSent(tx: Tx, token: string, [step, run]: Leased): Promise<boolean> {
  if (step?.leaseOwner == null || step.deadlineAtMs === null || run === undefined) return false;
  if (step.deadlineAtMs <= tx.nowMs) {
    await handBack({ tx, run, step, token });
    return false;
  }
  const [sent, grant, signs] = await Promise.all([
    sendCall(tx, token),
    laneGrant(tx, run, callStep(step), token),
    signsOf(tx, step.leaseOwner),
  ]);
  if (!sent) return false;
  noteAlive(tx, step.leaseOwner, signs);
  tx.sql.sendOne(COUNT_ON_LEASE, { stepId: step.stepId, token });
  countAttempt(tx, step.runId, step.failureKey);
  noteSent(tx, grant);
  return true;
}

export const SETTLE_STATEMENTS: StoredTexts = { changes: { COUNT_ON_LEASE } };
