import { flightKeyOf, type RunFacts } from '../../run-facts.ts';
import { outlookOf } from '../runs/jobs.ts';
import { noteActive } from '../runs/progress.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { Tx } from '../transactor.ts';
import { gateOf } from './gates.ts';
import { callStep, type Step } from './step-row.ts';

const LEASE = `
UPDATE steps SET state = 'running', parked = false, gate = :gate, counted = false, lease_token = :token, lease_owner = :owner,
  leased_at_ms = :nowMs, lease_expires_at_ms = :expiresAtMs, deadline_at_ms = :deadlineAtMs
WHERE step_id = :stepId AND state = 'queued'`;

export type Lease = { readonly token: string; readonly deadlineAtMs: number };

/** `gate` is the lane whose grants are taken, `null` for work without a call. */
export type NewLease = { readonly stepId: number; readonly owner: string; readonly gate: string | null };

/** `queued` → `running` under a new token. */
export function lease(tx: Tx, run: RunFacts, { stepId, owner, gate }: NewLease): Lease {
  noteActive(tx, run);
  const { ttlMs, deadlineMs } = run.settings.lease;
  const held = { token: tx.newToken(), expiresAtMs: tx.nowMs + ttlMs, deadlineAtMs: tx.nowMs + deadlineMs };
  tx.sql.sendOne(LEASE, { stepId, owner, gate, nowMs: tx.nowMs, ...held });
  tx.watch.saw(held);
  return held;
}

const END = `
UPDATE steps SET state = :state, outcome = :outcome, call_token = :callToken, gate = NULL, counted = false, lease_token = NULL,
  lease_owner = NULL, leased_at_ms = NULL, lease_expires_at_ms = NULL, deadline_at_ms = NULL
WHERE step_id = :stepId AND lease_token = :token AND state = 'running'`;

export type StepEnd =
  | { readonly state: 'succeeded'; readonly outcome: 'answered' | 'superseded' | 'finished'; readonly callToken: string | null }
  | { readonly state: 'failed'; readonly outcome: 'failed'; readonly callToken: string | null };

/** `running` → its end, by the holder of the lease. */
export function endStep(tx: Tx, step: Step, end: StepEnd): void {
  tx.sql.sendOne(END, { stepId: step.stepId, token: step.leaseToken, ...end });
}

const PUT_BACK = `
UPDATE steps SET state = :state, gate = :gate, flight_key = :flightKey, parked = :parked, run_at_ms = :runAtMs, counted = false,
  lease_token = NULL, lease_owner = NULL, leased_at_ms = NULL, lease_expires_at_ms = NULL, deadline_at_ms = NULL
WHERE step_id = :stepId AND lease_token = :token AND state = 'running'`;

/**
 * `running` → `queued`, at `runAtMs` at the earliest. Where a person ended the job, a step that would have to call again ends as
 * `cancelled`; one that needs no call stays, because what it works on is paid. A job that has ended takes no step back. The step's
 * flight is named anew: the cache mode may have changed.
 */
export async function putBack(tx: Tx, run: RunFacts, step: Step, runAtMs: number): Promise<'queued' | 'cancelled'> {
  const [gate, outlook] = await Promise.all([step.kind === 'finish' ? null : gateOf(tx, run, callStep(step)), outlookOf(tx, run, step)]);
  const state = outlook === 'ended' || (outlook === 'ending' && gate !== null) ? 'cancelled' : 'queued';
  tx.sql.sendOne(PUT_BACK, {
    stepId: step.stepId,
    token: step.leaseToken,
    state,
    gate: state === 'queued' ? gate : null,
    flightKey: step.key === null ? null : flightKeyOf(run, step.key),
    parked: state === 'queued' && gate !== null && runAtMs > tx.nowMs,
    runAtMs,
  });
  return state;
}

export const LEASES_STATEMENTS: StoredTexts = { changes: { LEASE, END, PUT_BACK } };
