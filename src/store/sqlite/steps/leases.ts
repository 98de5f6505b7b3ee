import { flightKeyOf, type RunFacts } from '../../run-facts.ts';
import { outlookOf } from '../runs/jobs.ts';
import { noteActive } from '../runs/progress.ts';
import type { Tx } from '../transactor.ts';
import { gateOf } from './hits.ts';
import { callStep, type Step } from './step-row.ts';

const LEASE = `
UPDATE steps SET state = 'running', parked = 0, gate = :gate, counted = 0, lease_token = :token, lease_owner = :owner,
  leased_at_ms = :nowMs, lease_expires_at_ms = :nowMs + :ttlMs, deadline_at_ms = :nowMs + :deadlineMs
WHERE step_id = :stepId AND state = 'queued'`;

export type Lease = { readonly token: string; readonly deadlineAtMs: number };

/** `gate` is the lane whose grants are taken, `null` for work without a call. */
export type NewLease = { readonly stepId: number; readonly owner: string; readonly gate: string | null };

/** `queued` → `running` under a new token. */
export function lease(tx: Tx, run: RunFacts, { stepId, owner, gate }: NewLease): Lease {
  noteActive(tx, run);
  const token = tx.newToken();
  const { ttlMs, deadlineMs } = run.settings.lease;
  tx.sql.runOne(LEASE, { stepId, token, owner, gate, ttlMs, deadlineMs, nowMs: tx.nowMs });
  tx.watch.saw({ token, expiresAtMs: tx.nowMs + ttlMs });
  return { token, deadlineAtMs: tx.nowMs + deadlineMs };
}

const END = `
UPDATE steps SET state = :state, outcome = :outcome, call_token = :callToken, gate = NULL, counted = 0, lease_token = NULL,
  lease_owner = NULL, leased_at_ms = NULL, lease_expires_at_ms = NULL, deadline_at_ms = NULL
WHERE step_id = :stepId AND lease_token = :token AND state = 'running'`;

export type StepEnd =
  | { readonly state: 'succeeded'; readonly outcome: 'answered' | 'superseded' | 'finished'; readonly callToken: string | null }
  | { readonly state: 'failed'; readonly outcome: 'failed'; readonly callToken: string | null };

/** `running` → its end, by the holder of the lease. */
export function endStep(tx: Tx, step: Step, end: StepEnd): void {
  tx.sql.runOne(END, { stepId: step.stepId, token: step.leaseToken, ...end });
}

const PUT_BACK = `
UPDATE steps SET state = :state, gate = :gate, flight_key = :flightKey, parked = :parked, run_at_ms = :runAtMs, counted = 0, lease_token = NULL,
  lease_owner = NULL, leased_at_ms = NULL, lease_expires_at_ms = NULL, deadline_at_ms = NULL
WHERE step_id = :stepId AND lease_token = :token AND state = 'running'`;

/**
 * `running` → `queued`, at `runAtMs` at the earliest. Where a person ended the job, a step that would have to call again ends as
 * `cancelled`; one that needs no call stays, because what it works on is paid. A job that has ended takes no step back. The step's
 * flight is named anew: the cache mode may have changed.
 */
export function putBack(tx: Tx, run: RunFacts, step: Step, runAtMs: number): 'queued' | 'cancelled' {
  const gate = step.kind === 'finish' ? null : gateOf(tx, run, callStep(step));
  const outlook = outlookOf(tx, run, step);
  const state = outlook === 'ended' || (outlook === 'ending' && gate !== null) ? 'cancelled' : 'queued';
  const parked = state === 'queued' && gate !== null && runAtMs > tx.nowMs;
  tx.sql.runOne(PUT_BACK, {
    stepId: step.stepId,
    token: step.leaseToken,
    state,
    gate: state === 'queued' ? gate : null,
    flightKey: step.key === null ? null : flightKeyOf(run, step.key),
    parked: Number(parked),
    runAtMs,
  });
  return state;
}
