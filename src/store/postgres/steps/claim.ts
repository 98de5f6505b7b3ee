import type { Grant } from '../../fairest.ts';
import { badMeanwhile, type KnownBad } from '../../known-bad.ts';
import type { RunFacts } from '../../run-facts.ts';
import { runGone } from '../../run-gone.ts';
import type { Claim, ClaimReply, ClaimRequest } from '../../work.ts';
import { failJobs, outlookOf, syncJob } from '../runs/jobs.ts';
import { noteActive } from '../runs/progress.ts';
import { findRun } from '../runs/run-facts.ts';
import type { Sql } from '../sql.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { Tx } from '../transactor.ts';
import { advanceJob, advancePutBack, leaseFinish } from './advance.ts';
import { findAnswer } from './answers.ts';
import { type CallRow, callRow, callWork, claimOf, finishWork, judgeWork } from './claimed-work.ts';
import { knownBad } from './failures.ts';
import { closeGate } from './gates.ts';
import { noteGrant } from './lane-news.ts';
import { lease } from './leases.ts';
import { reserveCall } from './ledger.ts';
import { isOfPausedModel, parkForPerson, unparkDue } from './parking.ts';
import { warmsUp } from './prefixes.ts';
import { fairestGrant, freeStep, type Look, type Looker, lookAtLanes } from './queue.ts';
import { holdsSuspect } from './reap.ts';
import { type CallStep, callStep, type Step } from './step-row.ts';
import { whyNothing } from './waiting.ts';

/** A reply, and how often the leases of the run want to be renewed. */
export type ClaimedReply = { readonly reply: ClaimReply; readonly beatMs: number };

/**
 * Takes everything that one piece of work needs, or nothing: the first step that may start is leased. Hits on the way are settled at once:
 * they need no call, only their job's `finish`.
 */
export async function claim(tx: Tx, { runId, workerId, tags = [] }: ClaimRequest, { run, suspectHeld }: ClaimFacts): Promise<ClaimedReply> {
  if (run === undefined) throw runGone(runId);
  return { reply: await replyTo(tx, run, { workerId, suspectHeld, tags }), beatMs: run.settings.lease.beatMs };
}

type ClaimFacts = { readonly run: RunFacts | undefined; readonly suspectHeld: boolean };

/** Asked with the locks, because it needs no time. */
export async function claimFacts(sql: Sql, { runId, workerId }: ClaimRequest): Promise<ClaimFacts> {
  const [run, suspectHeld] = await Promise.all([findRun(sql, runId), holdsSuspect(sql, workerId)]);
  return { run, suspectHeld };
}

type Asker = Looker & { readonly workerId: string; readonly tags: readonly string[] };

async function replyTo(tx: Tx, run: RunFacts, { workerId, suspectHeld, tags }: Asker): Promise<ClaimReply> {
  if (run.state === 'paused' || run.state === 'finished') return { kind: 'stopped', state: run.state };
  unparkDue(tx, run.runId);
  // Only where the time is bounded, because it is written with each look.
  if (run.settings.budget?.activeMs != null) noteActive(tx, run);
  const claimer = { tx, run, workerId };
  const looker: Looker = { suspectHeld, tags };
  for (;;) {
    const next = await nextStep(claimer, looker);
    if ('looks' in next)
      return run.state === 'cancelled' ? { kind: 'stopped', state: 'cancelled' } : whyNothing(tx, run, { looks: next.looks, tags });
    const claimed = await take(claimer, next);
    if (claimed !== null) return { kind: 'claimed', claim: claimed };
  }
}

type Next = { readonly step: Step; readonly grant: Grant<Step> | null } | { readonly looks: readonly Look[] };

type Claimer = { readonly tx: Tx; readonly run: RunFacts; readonly workerId: string };

/** The step to start next: one that needs no grants, else what its lane admits. In a cancelled run only what is paid for goes on. */
async function nextStep({ tx, run, workerId }: Claimer, looker: Looker): Promise<Next> {
  const [step, looks] = await Promise.all([freeStep(tx, run, looker), run.state === 'cancelled' ? [] : lookAtLanes(tx, run, looker)]);
  if (step !== null) return { step, grant: null };
  if (run.state === 'cancelled') return { looks };
  const grant = await fairestGrant(tx, workerId, looks);
  return grant === null ? { looks } : { step: grant.step, grant };
}

/** `null`: the step needed no lease (a hit whose job has more to do) or was not what its gate said; look on. */
async function take(claimer: Claimer, { step, grant }: { step: Step; grant: Grant<Step> | null }): Promise<Claim | null> {
  const { tx, run, workerId } = claimer;
  if (step.kind === 'finish') return leaseFinish(tx, run, step, { owner: workerId, work: await finishWork(tx, step) });
  const call = callStep(step);
  const [{ hit, unjudged }, outlook, isPaused, row, known] = await Promise.all([
    findAnswer(tx, run, call),
    outlookOf(tx, run, call),
    isOfPausedModel(tx, call),
    callRow(tx, call),
    knownBad(tx.sql, call.key),
  ]);
  if (hit !== null) return takeHit(claimer, call, hit);
  if (unjudged !== null) return takeJudge(claimer, call, { row, callToken: unjudged });
  const bad = badMeanwhile(run.settings.cacheMode, call, known);
  if (outlook !== 'open') await cancelStep(tx, run, call);
  else if (grant === null) closeGate(tx, call);
  else if (bad !== null) await failKnownBad(tx, call, bad);
  else if (isPaused) parkForPerson(tx, call);
  else return takeCall(claimer, { ...grant, step: call }, row);
  return null;
}

const CANCEL_STEP = `UPDATE steps SET state = 'cancelled', gate = NULL WHERE step_id = :stepId AND state = 'queued'`;

/** For a job that a person ended nothing is called: without what stood behind its gate the step ends. */
async function cancelStep(tx: Tx, run: RunFacts, step: CallStep): Promise<void> {
  tx.sql.sendOne(CANCEL_STEP, { stepId: step.stepId });
  await advancePutBack(tx, run, step);
}

const FAIL_KNOWN_BAD = `
UPDATE steps SET state = 'failed', outcome = 'known_bad', gate = NULL, parked = false WHERE step_id = :stepId AND state = 'queued'`;

async function failKnownBad(tx: Tx, step: CallStep, bad: KnownBad): Promise<void> {
  tx.sql.sendOne(FAIL_KNOWN_BAD, { stepId: step.stepId });
  await failJobs(tx, step.runId, [step.jobId], bad);
}

const SETTLE_HIT = `
UPDATE steps SET state = 'succeeded', outcome = 'cached', call_token = :callToken, gate = NULL
WHERE step_id = :stepId AND state = 'queued'`;

async function takeHit({ tx, run, workerId }: Claimer, step: CallStep, callToken: string): Promise<Claim | null> {
  tx.sql.sendOne(SETTLE_HIT, { stepId: step.stepId, callToken });
  return (await advanceJob(tx, run, step.jobId, workerId)).finish;
}

async function takeJudge({ tx, run, workerId }: Claimer, step: CallStep, asked: { row: CallRow; callToken: string }): Promise<Claim> {
  const held = lease(tx, run, { stepId: step.stepId, owner: workerId, gate: null });
  syncJob(tx, step);
  return claimOf(tx, step, held, await judgeWork(tx, run, step, asked));
}

async function takeCall({ tx, run, workerId }: Claimer, { step, lane, takes }: Grant<CallStep>, row: CallRow): Promise<Claim> {
  const held = lease(tx, run, { stepId: step.stepId, owner: workerId, gate: lane.id });
  reserveCall(tx, run, step, { ...takes, token: held.token });
  noteGrant(tx, lane, takes.grantedTokens);
  const warms = lane.pace.cachesPrompts && (await warmsUp(tx, step, held.token));
  syncJob(tx, step);
  return claimOf(tx, step, held, callWork(run, step, row, warms));
}

export const CLAIM_STATEMENTS: StoredTexts = { changes: { CANCEL_STEP, FAIL_KNOWN_BAD, SETTLE_HIT } };
