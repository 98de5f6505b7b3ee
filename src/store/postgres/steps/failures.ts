import type { Reason } from '../../../domain/reason.ts';
import type { JobError } from '../../../domain/result.ts';
import type { KnownBad } from '../../known-bad.ts';
import type { Sql } from '../sql.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { Tx } from '../transactor.ts';

/** What a run remembers of a key that failed: ten twins of a bad prompt do not pay ten times. */
export type KeyFacts = {
  /** Tries that were sent. */
  readonly attempts: number;
  /** Leases lost by a death. */
  readonly losses: number;
  /** Rate limits since its last success. */
  readonly waits: number;
  readonly notBeforeMs: number;
  /** Its last holder died. */
  readonly suspect: boolean;
  /** The key has failed for good in this run. */
  readonly failed: boolean;
  readonly reason: Reason | null;
  readonly message: string | null;
};

const UNTOUCHED: KeyFacts = {
  attempts: 0,
  losses: 0,
  waits: 0,
  notBeforeMs: 0,
  suspect: false,
  failed: false,
  reason: null,
  message: null,
};

const SELECT_KEY = `
SELECT attempts, losses, waits, not_before_ms, suspect, failed, reason, message FROM keys WHERE run_id = :runId AND key = :key`;

export async function keyFacts(sql: Sql, runId: string, key: string): Promise<KeyFacts> {
  return (await sql.one<KeyFacts>(SELECT_KEY, { runId, key })) ?? UNTOUCHED;
}

const COUNT_ATTEMPT = `
INSERT INTO keys AS k (run_id, key, attempts) VALUES (:runId, :key, 1)
ON CONFLICT (run_id, key) DO UPDATE SET attempts = k.attempts + 1`;

export function countAttempt(tx: Tx, runId: string, key: string): void {
  tx.sql.send(COUNT_ATTEMPT, { runId, key });
}

const UNCOUNT_ATTEMPT = `UPDATE keys SET attempts = attempts - 1 WHERE run_id = :runId AND key = :key AND attempts > 0`;

/** A sent try that was nobody's fault (429, downgrade, fatal) does not use up an attempt. */
export function uncountAttempt(tx: Tx, runId: string, key: string): void {
  tx.sql.send(UNCOUNT_ATTEMPT, { runId, key });
}

const COUNT_LOSS = `
INSERT INTO keys AS k (run_id, key, losses, suspect) VALUES (:runId, :key, 1, true)
ON CONFLICT (run_id, key) DO UPDATE SET losses = k.losses + 1, suspect = true`;

/** The holder died: counts a lost lease and makes the key a suspect. */
export function countLoss(tx: Tx, runId: string, key: string): void {
  tx.sql.send(COUNT_LOSS, { runId, key });
}

const REMEMBER_RETRY = `
INSERT INTO keys (run_id, key, waits, not_before_ms, reason, message) VALUES (:runId, :key, :waits, :notBeforeMs, :reason, :message)
ON CONFLICT (run_id, key) DO UPDATE SET
  waits = excluded.waits, not_before_ms = excluded.not_before_ms, reason = excluded.reason, message = excluded.message, suspect = false`;

type FailedKey = { readonly runId: string; readonly key: string };

/** A settled failure: it did not kill its process, so the key is no suspect. */
export function rememberRetry(tx: Tx, step: FailedKey, again: { waits: number; notBeforeMs: number }, error: JobError): void {
  tx.sql.send(REMEMBER_RETRY, { runId: step.runId, key: step.key, ...again, reason: error.reason, message: error.message });
}

const REMEMBER_FINAL = `
INSERT INTO keys (run_id, key, failed, reason, message) VALUES (:runId, :key, true, :reason, :message)
ON CONFLICT (run_id, key) DO UPDATE SET failed = true, reason = excluded.reason, message = excluded.message, suspect = false`;

export function rememberFinal(tx: Tx, runId: string, key: string, { reason, message }: JobError): void {
  tx.sql.send(REMEMBER_FINAL, { runId, key, reason, message });
}

const FORGET = `DELETE FROM keys WHERE run_id = :runId AND key = ANY (:keys::text[])`;

/** After a success, or when a person asks for the keys afresh. */
export function forgetFailures(tx: Tx, runId: string, keys: readonly string[]): void {
  tx.sql.send(FORGET, { runId, keys });
}

const SELECT_BAD = `SELECT reason, message FROM known_bad WHERE key = :key`;

export async function knownBad(sql: Sql, key: string): Promise<KnownBad | null> {
  return (await sql.one<KnownBad>(SELECT_BAD, { key })) ?? null;
}

const REMEMBER_BAD = `
INSERT INTO known_bad (key, reason, message, call_token) VALUES (:key, :reason, :message, :callToken)
ON CONFLICT (key) DO UPDATE SET reason = excluded.reason, message = excluded.message, call_token = excluded.call_token`;

/** An answer came and is bad: later runs do not pay for it again. */
export function rememberBad(tx: Tx, key: string, { reason, message }: JobError, callToken: string): void {
  tx.sql.send(REMEMBER_BAD, { key, reason, message, callToken });
}

// In the order of the keys: two runs that ask the same afresh must not wait for each other.
const FORGET_BAD = `
DELETE FROM known_bad WHERE key IN (SELECT b.key FROM known_bad b WHERE b.key = ANY (:keys::text[]) ORDER BY b.key FOR UPDATE)`;

export function forgetBad(tx: Tx, keys: readonly string[]): void {
  tx.sql.send(FORGET_BAD, { keys });
}

export const FAILURES_STATEMENTS: StoredTexts = {
  rows: { SELECT_KEY, SELECT_BAD },
  changes: { COUNT_ATTEMPT, UNCOUNT_ATTEMPT, REMEMBER_RETRY, REMEMBER_FINAL, FORGET, REMEMBER_BAD, FORGET_BAD },
};
