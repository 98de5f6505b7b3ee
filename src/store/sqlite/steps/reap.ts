import { isAbandoned } from '../../../domain/lease.ts';
import { grouped } from '../../grouped.ts';
import type { WatchedLease } from '../../lease-watch.ts';
import { lossOf } from '../../loss.ts';
import type { RunFacts } from '../../run-facts.ts';
import { runFacts } from '../runs/run-facts.ts';
import type { Sql } from '../sql.ts';
import type { Tx } from '../transactor.ts';
import { NOTE_BEAT, RENEW } from '../workers/renew.ts';
import { advancePutBack } from './advance.ts';
import { appendAttempt } from './attempts.ts';
import { failForGood } from './fail-for-good.ts';
import { countLoss, keyFacts, uncountAttempt } from './failures.ts';
import { findUnjudged } from './hits.ts';
import { putBack } from './leases.ts';
import { abandonCall } from './ledger.ts';
import { STEP_COLUMNS, type Step } from './step-row.ts';

type HeldStep = Step & { readonly leaseOwner: string; readonly leaseToken: string; readonly suspect: 0 | 1 };
type LeaseRow = WatchedLease & { readonly runId: string };

const LEASES = `
SELECT lease_token AS token, lease_expires_at_ms AS expiresAtMs, run_id AS runId FROM steps WHERE state = 'running'`;

/** All leases that are held, over all runs. */
export function leases(sql: Sql): readonly LeaseRow[] {
  return sql.all<LeaseRow>(LEASES);
}

const SELECT_HELD = `
SELECT ${STEP_COLUMNS}, coalesce(k.suspect, 0) AS suspect
FROM steps s LEFT JOIN keys k ON k.run_id = s.run_id AND k.key = s.failure_key
WHERE s.state = 'running'`;
const HELD_BY_TOKENS = `${SELECT_HELD} AND s.lease_token IN (SELECT value FROM json_each(:tokens)) ORDER BY s.lease_owner, s.step_id`;
const HELD_BY_WORKER = `${SELECT_HELD} AND s.lease_owner = :owner ORDER BY s.step_id`;

/**
 * Takes back every abandoned lease, in all runs, because a silent worker's flight blocks its key for everyone. Who asks is alive: of
 * the claimer itself (`null`: nobody claims) only what passed its deadline is left to take.
 */
export function reapAbandoned(tx: Tx, claimer: string | null): void {
  const tokens = abandonedTokens(tx);
  if (tokens.length === 0) return;
  const held = tx.sql.all<HeldStep>(HELD_BY_TOKENS, { tokens: JSON.stringify(tokens) });
  for (const [owner, steps] of grouped(held, (step) => step.leaseOwner)) {
    reapOwner(tx, owner, steps, owner === claimer || isBeating(tx, owner, steps));
  }
}

function abandonedTokens(tx: Tx): string[] {
  const rows = leases(tx.sql);
  tx.watch.note(rows);
  const ttls = new Map([...new Set(rows.map(({ runId }) => runId))].map((runId) => [runId, runFacts(tx.sql, runId).settings.lease.ttlMs]));
  const abandoned = rows.filter((row) =>
    isAbandoned({ ...row, nowMs: tx.nowMs, ttlMs: ttls.get(row.runId) ?? 0, unchangedMs: tx.watch.unchangedMs(row) }),
  );
  return abandoned.map(({ token }) => token);
}

/** Takes back all that a worker holds whose process is known to be dead. */
export function reapWorker(tx: Tx, owner: string): void {
  reapOwner(tx, owner, tx.sql.all<HeldStep>(HELD_BY_WORKER, { owner }), false);
}

/**
 * Whom a lost lease is charged to. A worker that still beats has only let go of what passed its deadline: that step is charged. A
 * dead one is charged to the suspect that it held; without a suspect, to all that it held, which then are suspects.
 */
function reapOwner(tx: Tx, owner: string, steps: readonly HeldStep[], beats: boolean): void {
  const suspectHeld = !beats && (steps.some((step) => step.suspect === 1) || diedWithSuspect(tx, owner) || holdsSuspect(tx, owner));
  for (const step of steps) {
    const charged = !suspectHeld || step.suspect === 1;
    if (!beats && step.suspect === 1) tx.sql.run(NOTE_DEATH, { owner });
    reap(tx, step, charged, beats);
  }
}

const LAST_BEAT = `SELECT beat_at_ms AS beatAtMs FROM workers WHERE worker_id = :owner`;

function isBeating(tx: Tx, owner: string, steps: readonly HeldStep[]): boolean {
  const beatAtMs = tx.sql.one<{ beatAtMs: number }>(LAST_BEAT, { owner })?.beatAtMs;
  if (beatAtMs === undefined) return false;
  const ttlMs = Math.min(...steps.map((step) => runFacts(tx.sql, step.runId).settings.lease.ttlMs));
  return beatAtMs + ttlMs > tx.nowMs;
}

const NOTE_DEATH = `UPDATE workers SET died_with_suspect = 1 WHERE worker_id = :owner`;
const DIED_WITH_SUSPECT = `SELECT 1 AS found FROM workers WHERE worker_id = :owner AND died_with_suspect = 1`;

/** Leases of one death run out one by one, so that the charge is remembered with the worker. */
function diedWithSuspect(tx: Tx, owner: string): boolean {
  return tx.sql.one(DIED_WITH_SUSPECT, { owner }) !== undefined;
}

const HOLDS_SUSPECT = `
SELECT 1 AS found FROM steps s JOIN keys k ON k.run_id = s.run_id AND k.key = s.failure_key
WHERE s.state = 'running' AND s.lease_owner = :owner AND k.suspect = 1 LIMIT 1`;

/** A worker holds at most one suspect, so that its death says which one is to blame. */
export function holdsSuspect(tx: Tx, owner: string): boolean {
  return tx.sql.one(HOLDS_SUSPECT, { owner }) !== undefined;
}

const CLEAR_DEATH = `UPDATE workers SET died_with_suspect = 0 WHERE worker_id = :owner AND died_with_suspect = 1`;

const LATE = `
SELECT 1 AS found FROM steps WHERE lease_owner = :owner AND state = 'running' AND lease_expires_at_ms <= :nowMs LIMIT 1`;

/**
 * A worker that speaks is alive: an earlier charge was for a freeze. After a sleep longer than its leases all of them are renewed,
 * as its next beat would do: nobody has taken them, or they would not be its own.
 */
export function noteAlive(tx: Tx, owner: string): void {
  tx.sql.run(CLEAR_DEATH, { owner });
  if (tx.sql.one(LATE, { owner, nowMs: tx.nowMs }) === undefined) return;
  const renewal = { workerId: owner, nowMs: tx.nowMs };
  tx.sql.run(RENEW, renewal);
  tx.sql.run(NOTE_BEAT, renewal);
}

// An earlier step of the same death may have ended this one, when both are of one job.
const STILL_HELD = `SELECT 1 AS found FROM steps WHERE step_id = :stepId AND state = 'running' AND lease_token = :token`;

function reap(tx: Tx, step: HeldStep, charged: boolean, beats: boolean): void {
  if (tx.sql.one(STILL_HELD, { stepId: step.stepId, token: step.leaseToken }) === undefined) return;
  const run = runFacts(tx.sql, step.runId);
  const failure = lossOf(beats);
  abandonCall(tx, step.leaseToken);
  // Whoever died beside a suspect is innocent: neither a life nor an attempt is taken from it.
  const counted = charged && step.counted === 1;
  if (charged) countLoss(tx, step.runId, step.failureKey);
  else if (step.counted === 1) uncountAttempt(tx, step.runId, step.failureKey);
  const final = isSpent(tx, run, step, counted);
  const callToken = step.kind === 'finish' ? null : step.leaseToken;
  appendAttempt(tx, step, { outcome: 'lost', callToken, failure, counted, final });
  if (final) {
    failForGood(tx, step, { reason: failure.reason, message: failure.message }, null);
    return;
  }
  putBack(tx, run, step, tx.nowMs);
  advancePutBack(tx, run, step);
}

/** Too many deaths; or the last attempt was sent and lost, so that one more call would be one too many. */
function isSpent(tx: Tx, run: RunFacts, step: HeldStep, counted: boolean): boolean {
  const { attempts, losses } = keyFacts(tx.sql, step.runId, step.failureKey);
  if (losses >= run.settings.retry.lostLeases) return true;
  if (!counted || attempts < run.settings.retry.attempts || step.key === null) return false;
  return findUnjudged(tx, run, { ...step, key: step.key }) === null;
}
