import type { Claim, ClaimReply, ClaimRequest } from '../../work.ts';
import { outlookOf, syncJob } from '../runs/jobs.ts';
import { type RunFacts, runFacts } from '../runs/run-facts.ts';
import type { Tx } from '../transactor.ts';
import { advanceJob, advancePutBack, leaseFinish } from './advance.ts';
import { callWork, claimOf, judgeWork } from './claimed-work.ts';
import { closeGate, findHit, findUnjudged, type Hit } from './hits.ts';
import { lease, unparkDue } from './leases.ts';
import { reserveCall } from './ledger.ts';
import { nextStep } from './queue.ts';
import { noteAlive, reapAbandoned } from './reap.ts';
import { type CallStep, callStep, type Step } from './step-row.ts';
import { whyNothing } from './waiting.ts';

/** A reply, and how often the leases of the run want to be renewed. */
export type ClaimedReply = { readonly reply: ClaimReply; readonly beatMs: number };

/**
 * Takes everything that one piece of work needs, or nothing. First the leases that were abandoned are taken back; then the first step that
 * may start is leased. Hits on the way are settled at once: they need no call, only their job's `finish`.
 */
export function claim(tx: Tx, { runId, workerId }: ClaimRequest): ClaimedReply {
  noteAlive(tx, workerId);
  reapAbandoned(tx, workerId);
  const run = runFacts(tx.sql, runId);
  return { reply: replyTo(tx, run, workerId), beatMs: run.settings.lease.beatMs };
}

function replyTo(tx: Tx, run: RunFacts, workerId: string): ClaimReply {
  if (run.state === 'paused' || run.state === 'finished') return { kind: 'stopped', state: run.state };
  unparkDue(tx, run.runId);
  for (let step = nextStep(tx, run, workerId); step !== null; step = nextStep(tx, run, workerId)) {
    const claimed = take(tx, run, step, workerId);
    if (claimed !== null) return { kind: 'claimed', claim: claimed };
  }
  return run.state === 'cancelled' ? { kind: 'stopped', state: 'cancelled' } : whyNothing(tx, run);
}

/** `null`: the step needed no lease (a hit whose job has more to do) or was not what its gate said; look on. */
function take(tx: Tx, run: RunFacts, step: Step, workerId: string): Claim | null {
  if (step.kind === 'finish') return leaseFinish(tx, run, step, workerId);
  const call = callStep(step);
  const hit = findHit(tx, run, call);
  if (hit !== null) return takeHit(tx, run, call, hit, workerId);
  const unjudged = findUnjudged(tx, run, call);
  if (unjudged !== null) return takeJudge(tx, run, call, unjudged, workerId);
  if (outlookOf(tx, run, call) !== 'open') cancelStep(tx, run, call);
  else if (call.gate !== null) return takeCall(tx, run, call, workerId);
  else closeGate(tx, call);
  return null;
}

const CANCEL_STEP = `UPDATE steps SET state = 'cancelled', gate = NULL WHERE step_id = :stepId AND state = 'queued'`;

/** For a job that a person ended nothing is called: without what stood behind its gate the step ends. */
function cancelStep(tx: Tx, run: RunFacts, step: CallStep): void {
  tx.sql.runOne(CANCEL_STEP, { stepId: step.stepId });
  advancePutBack(tx, run, step);
}

const SETTLE_HIT = `
UPDATE steps SET state = 'succeeded', outcome = 'cached', call_token = :callToken, gate = NULL
WHERE step_id = :stepId AND state = 'queued'`;

function takeHit(tx: Tx, run: RunFacts, step: CallStep, hit: Hit, workerId: string): Claim | null {
  tx.sql.runOne(SETTLE_HIT, { stepId: step.stepId, callToken: hit.callToken });
  return advanceJob(tx, run, step.jobId, workerId).finish;
}

function takeJudge(tx: Tx, run: RunFacts, step: CallStep, callToken: string, workerId: string): Claim {
  const held = lease(tx, run, step.stepId, workerId, null);
  syncJob(tx, step);
  return claimOf(tx, step, held, judgeWork(tx, step, callToken));
}

function takeCall(tx: Tx, run: RunFacts, step: CallStep, workerId: string): Claim {
  const held = lease(tx, run, step.stepId, workerId, step.laneId);
  reserveCall(tx, run, step, held.token);
  syncJob(tx, step);
  return claimOf(tx, step, held, callWork(tx, step));
}
