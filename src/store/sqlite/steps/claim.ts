import type { Grant } from '../../fairest.ts';
import { badMeanwhile, type KnownBad } from '../../known-bad.ts';
import type { RunFacts } from '../../run-facts.ts';
import type { Claim, ClaimReply, ClaimRequest } from '../../work.ts';
import { failJob, outlookOf, syncJob } from '../runs/jobs.ts';
import { noteActive } from '../runs/progress.ts';
import { runFacts } from '../runs/run-facts.ts';
import type { Tx } from '../transactor.ts';
import { advanceJob, advancePutBack, leaseFinish } from './advance.ts';
import { callWork, claimOf, judgeWork } from './claimed-work.ts';
import { knownBad } from './failures.ts';
import { closeGate, findHit, findUnjudged, type Hit } from './hits.ts';
import { noteGrant } from './lane-news.ts';
import { lease } from './leases.ts';
import { reserveCall } from './ledger.ts';
import { parkIfPaused, unparkDue } from './parking.ts';
import { warmsUp } from './prefixes.ts';
import { fairestGrant, freeStep, type Look, type Looker, lookAtLanes } from './queue.ts';
import { holdsSuspect, noteAlive, reapAbandoned } from './reap.ts';
import { type CallStep, callStep, type Step } from './step-row.ts';
import { whyNothing } from './waiting.ts';

/** A reply, and how often the leases of the run want to be renewed. */
export type ClaimedReply = { readonly reply: ClaimReply; readonly beatMs: number };

/**
 * Takes everything that one piece of work needs, or nothing. First the leases that were abandoned are taken back; then the first step that
 * may start is leased. Hits on the way are settled at once: they need no call, only their job's `finish`.
 */
export function claim(tx: Tx, { runId, workerId, tags = [] }: ClaimRequest): ClaimedReply {
  noteAlive(tx, workerId);
  reapAbandoned(tx, workerId);
  const run = runFacts(tx.sql, runId);
  return { reply: replyTo(tx, run, { workerId, tags }), beatMs: run.settings.lease.beatMs };
}

type Asker = { readonly workerId: string; readonly tags: readonly string[] };

function replyTo(tx: Tx, run: RunFacts, { workerId, tags }: Asker): ClaimReply {
  if (run.state === 'paused' || run.state === 'finished') return { kind: 'stopped', state: run.state };
  unparkDue(tx, run.runId);
  // Only where the time is bounded, because it is written with each look.
  if (run.settings.budget?.activeMs != null) noteActive(tx, run);
  const claimer = { tx, run, workerId };
  const looker: Looker = { suspectHeld: holdsSuspect(tx, workerId) ? 1 : 0, tags };
  for (;;) {
    const next = nextStep(claimer, looker);
    if ('looks' in next)
      return run.state === 'cancelled' ? { kind: 'stopped', state: 'cancelled' } : whyNothing(tx, run, { looks: next.looks, tags });
    const claimed = take(claimer, next);
    if (claimed !== null) return { kind: 'claimed', claim: claimed };
  }
}

type Next = { readonly step: Step; readonly grant: Grant<Step> | null } | { readonly looks: readonly Look[] };

type Claimer = { readonly tx: Tx; readonly run: RunFacts; readonly workerId: string };

/** The step to start next: one that needs no grants, else what its lane admits. In a cancelled run only what is paid for goes on. */
function nextStep({ tx, run, workerId }: Claimer, looker: Looker): Next {
  const step = freeStep(tx, run, looker);
  if (step !== null) return { step, grant: null };
  if (run.state === 'cancelled') return { looks: [] };
  const looks = lookAtLanes(tx, run, looker);
  const grant = fairestGrant(tx, workerId, looks);
  return grant === null ? { looks } : { step: grant.step, grant };
}

/** `null`: the step needed no lease (a hit whose job has more to do) or was not what its gate said; look on. */
function take(claimer: Claimer, { step, grant }: { step: Step; grant: Grant<Step> | null }): Claim | null {
  const { tx, run, workerId } = claimer;
  if (step.kind === 'finish') return leaseFinish(tx, run, step, workerId);
  const call = callStep(step);
  const hit = findHit(tx, run, call);
  if (hit !== null) return takeHit(claimer, call, hit);
  const unjudged = findUnjudged(tx, run, call);
  if (unjudged !== null) return takeJudge(claimer, call, unjudged);
  const bad = badMeanwhile(run.settings.cacheMode, call, knownBad(tx.sql, call.key));
  if (outlookOf(tx, run, call) !== 'open') cancelStep(tx, run, call);
  else if (grant === null) closeGate(tx, call);
  else if (bad !== null) failKnownBad(tx, call, bad);
  else if (!parkIfPaused(tx, call)) return takeCall(claimer, { ...grant, step: call });
  return null;
}

const CANCEL_STEP = `UPDATE steps SET state = 'cancelled', gate = NULL WHERE step_id = :stepId AND state = 'queued'`;

/** For a job that a person ended nothing is called: without what stood behind its gate the step ends. */
function cancelStep(tx: Tx, run: RunFacts, step: CallStep): void {
  tx.sql.runOne(CANCEL_STEP, { stepId: step.stepId });
  advancePutBack(tx, run, step);
}

const FAIL_KNOWN_BAD = `
UPDATE steps SET state = 'failed', outcome = 'known_bad', gate = NULL, parked = 0 WHERE step_id = :stepId AND state = 'queued'`;

function failKnownBad(tx: Tx, step: CallStep, bad: KnownBad): void {
  tx.sql.runOne(FAIL_KNOWN_BAD, { stepId: step.stepId });
  failJob(tx, step, bad);
}

const SETTLE_HIT = `
UPDATE steps SET state = 'succeeded', outcome = 'cached', call_token = :callToken, gate = NULL
WHERE step_id = :stepId AND state = 'queued'`;

function takeHit({ tx, run, workerId }: Claimer, step: CallStep, hit: Hit): Claim | null {
  tx.sql.runOne(SETTLE_HIT, { stepId: step.stepId, callToken: hit.callToken });
  return advanceJob(tx, run, step.jobId, workerId).finish;
}

function takeJudge({ tx, run, workerId }: Claimer, step: CallStep, callToken: string): Claim {
  const held = lease(tx, run, { stepId: step.stepId, owner: workerId, gate: null });
  syncJob(tx, step);
  return claimOf(tx, step, held, judgeWork(tx, run, step, callToken));
}

function takeCall({ tx, run, workerId }: Claimer, { step, lane, takes }: Grant<CallStep>): Claim {
  const held = lease(tx, run, { stepId: step.stepId, owner: workerId, gate: lane.id });
  reserveCall(tx, run, step, { ...takes, token: held.token });
  noteGrant(tx, lane, takes.grantedTokens);
  const warms = lane.pace.cachesPrompts && warmsUp(tx, step, held.token);
  syncJob(tx, step);
  return claimOf(tx, step, held, callWork(tx, run, step, warms));
}
