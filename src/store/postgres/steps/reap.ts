import { isAbandoned } from '../../../domain/lease.ts';
import { grouped } from '../../grouped.ts';
import type { WatchedLease } from '../../lease-watch.ts';
import { lossOf } from '../../loss.ts';
import type { RunFacts } from '../../run-facts.ts';
import { runFacts } from '../runs/run-facts.ts';
import type { Sql } from '../sql.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { Tx } from '../transactor.ts';
import { advancePutBack } from './advance.ts';
import { findAnswer } from './answers.ts';
import { appendAttempt } from './attempts.ts';
import { failForGood } from './fail-for-good.ts';
import { countLoss, keyFacts, uncountAttempt } from './failures.ts';
import { putBack } from './leases.ts';
import { abandonCall } from './ledger.ts';
import { FAILURE_KEY, STEP_COLUMNS, type Step } from './step-row.ts';

/** A lease that is held; `ttlMs`: how long one of its run lasts after a renewal. */
export type HeldLease = Required<WatchedLease> & { readonly runId: string; readonly ttlMs: number };

const LEASES = `
SELECT s.lease_token AS token, s.lease_expires_at_ms AS expires_at_ms, s.run_id, (r.settings #>> '{lease,ttlMs}')::bigint AS ttl_ms,
  coalesce(w.watched_ms, 0) AS watched_ms
FROM steps s JOIN runs r ON r.run_id = s.run_id
LEFT JOIN watched_leases w ON w.lease_token = s.lease_token AND w.expires_at_ms = s.lease_expires_at_ms
WHERE s.state = 'running'`;

/** All leases that are held, over all runs. */
export function leases(sql: Sql): Promise<readonly HeldLease[]> {
  return sql.all<HeldLease>(LEASES);
}

/** Those of the leases, in all runs, that may be taken: a silent worker's flight blocks its key for everyone. */
export function abandonedOf(rows: readonly HeldLease[], { nowMs, watch }: Pick<Tx, 'nowMs' | 'watch'>): readonly HeldLease[] {
  watch.note(rows);
  return rows.filter((row) => isAbandoned({ ...row, nowMs, unchangedMs: watch.unchangedMs(row) }));
}

type HeldStep = Step & {
  readonly leaseOwner: string;
  readonly leaseToken: string;
  readonly leaseExpiresAtMs: number;
  readonly suspect: boolean;
};

const SELECT_HELD = `
SELECT ${STEP_COLUMNS}, s.lease_expires_at_ms, EXISTS (
  SELECT 1 FROM keys k WHERE k.run_id = s.run_id AND k.key = ${FAILURE_KEY} AND k.suspect) AS suspect
FROM steps s`;

// A lease that was renewed since it was seen is not taken; from here on none of these can be.
const HELD = `${SELECT_HELD} JOIN unnest(:tokens::text[], :expiriesMs::bigint[]) AS seen (token, expires_at_ms)
  ON seen.token = s.lease_token AND seen.expires_at_ms = s.lease_expires_at_ms
WHERE s.state = 'running' ORDER BY s.lease_owner, s.step_id FOR NO KEY UPDATE OF s`;

const FORGET_WATCHED = `DELETE FROM watched_leases WHERE lease_token = ANY (:tokens::text[])`;

/**
 * Takes abandoned leases back, under the locks of their runs. Who asks is alive: of the claimer itself (`null`: nobody claims) only what
 * passed its deadline is left to take.
 */
export async function reap(tx: Tx, abandoned: readonly HeldLease[], claimer: string | null): Promise<void> {
  const tokens = abandoned.map(({ token }) => token);
  tx.sql.send(FORGET_WATCHED, { tokens });
  const held = await tx.sql.all<HeldStep>(HELD, { tokens, expiriesMs: abandoned.map(({ expiresAtMs }) => expiresAtMs) });
  const ttls = new Map(abandoned.map(({ token, ttlMs }) => [token, ttlMs]));
  for (const [owner, steps] of grouped(held, (step) => step.leaseOwner)) {
    const ttlMs = Math.min(...steps.map(({ leaseToken }) => ttls.get(leaseToken) ?? Number.POSITIVE_INFINITY));
    await reapOwner(tx, owner, steps, owner === claimer || (await isBeating(tx, owner, ttlMs)));
  }
}

// Of a worker that left, or that somebody else has taken for dead just now, nothing is left to take.
const HELD_BY_WORKER = `${SELECT_HELD} JOIN workers w ON w.worker_id = s.lease_owner
WHERE s.lease_owner = :owner AND s.run_id = ANY (:runIds::text[]) AND s.state = 'running' ORDER BY s.step_id FOR NO KEY UPDATE OF s`;

/** Takes back all that a worker holds in these runs, under their locks, whose process is known to be dead. */
export async function reapWorker(tx: Tx, owner: string, runIds: readonly string[]): Promise<void> {
  await reapOwner(tx, owner, await tx.sql.all<HeldStep>(HELD_BY_WORKER, { owner, runIds }), false);
}

/**
 * Whom a lost lease is charged to. A worker that still beats has only let go of what passed its deadline: that step is charged. A
 * dead one is charged to the suspect that it held; without a suspect, to all that it held, which then are suspects.
 */
async function reapOwner(tx: Tx, owner: string, steps: readonly HeldStep[], beats: boolean): Promise<void> {
  const suspectHeld =
    !beats && (steps.some(({ suspect }) => suspect) || (await diedWithSuspect(tx, owner)) || (await holdsSuspect(tx.sql, owner)));
  for (const step of steps) {
    const charged = !suspectHeld || step.suspect;
    if (!beats && step.suspect) tx.sql.send(NOTE_DEATH, { owner });
    await reapStep(tx, step, charged, beats);
  }
}

const LAST_BEAT = `SELECT beat_at_ms FROM workers WHERE worker_id = :owner`;

async function isBeating(tx: Tx, owner: string, ttlMs: number): Promise<boolean> {
  const row = await tx.sql.one<{ beatAtMs: number }>(LAST_BEAT, { owner });
  return row !== undefined && row.beatAtMs + ttlMs > tx.nowMs;
}

const NOTE_DEATH = `UPDATE workers SET died_with_suspect = true WHERE worker_id = :owner`;
const DIED_WITH_SUSPECT = `SELECT 1 AS found FROM workers WHERE worker_id = :owner AND died_with_suspect`;

/** Leases of one death run out one by one, so that the charge is remembered with the worker. */
async function diedWithSuspect(tx: Tx, owner: string): Promise<boolean> {
  return (await tx.sql.one(DIED_WITH_SUSPECT, { owner })) !== undefined;
}

const HOLDS_SUSPECT = `
SELECT 1 AS found FROM steps s JOIN keys k ON k.run_id = s.run_id AND k.key = ${FAILURE_KEY}
WHERE s.state = 'running' AND s.lease_owner = :owner AND k.suspect LIMIT 1`;

/** A worker holds at most one suspect, so that its death says which one is to blame. */
export async function holdsSuspect(sql: Sql, owner: string): Promise<boolean> {
  return (await sql.one(HOLDS_SUSPECT, { owner })) !== undefined;
}

// An earlier step of the same death may have ended this one, when both are of one job.
const STILL_HELD = `SELECT 1 AS found FROM steps WHERE step_id = :stepId AND state = 'running' AND lease_token = :token`;

async function reapStep(tx: Tx, step: HeldStep, charged: boolean, beats: boolean): Promise<void> {
  if ((await tx.sql.one(STILL_HELD, { stepId: step.stepId, token: step.leaseToken })) === undefined) return;
  const run = await runFacts(tx.sql, step.runId);
  const failure = lossOf(beats);
  await abandonCall(tx, step.leaseToken);
  // Whoever died beside a suspect is innocent: neither a life nor an attempt is taken from it.
  const counted = charged && step.counted;
  if (charged) countLoss(tx, step.runId, step.failureKey);
  else if (step.counted) uncountAttempt(tx, step.runId, step.failureKey);
  const final = await isSpent(tx, run, step, counted);
  const callToken = step.kind === 'finish' ? null : step.leaseToken;
  appendAttempt(tx, step, { outcome: 'lost', callToken, failure, counted, final });
  if (final) {
    await failForGood(tx, step, { reason: failure.reason, message: failure.message }, null);
    return;
  }
  await putBack(tx, run, step, tx.nowMs);
  await advancePutBack(tx, run, step);
}

/** Too many deaths; or the last attempt was sent and lost, so that one more call would be one too many. */
async function isSpent(tx: Tx, run: RunFacts, step: HeldStep, counted: boolean): Promise<boolean> {
  const { attempts, losses } = await keyFacts(tx.sql, step.runId, step.failureKey);
  if (losses >= run.settings.retry.lostLeases) return true;
  if (!counted || attempts < run.settings.retry.attempts || step.key === null) return false;
  return (await findAnswer(tx, run, { ...step, key: step.key })).unjudged === null;
}

export const REAP_STATEMENTS: StoredTexts = { rows: { LEASES, HOLDS_SUSPECT } };
