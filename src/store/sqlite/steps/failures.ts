import type { Reason } from '../../../domain/reason.ts';
import type { JobError } from '../../../domain/result.ts';
import type { KnownBad } from '../../known-bad.ts';
import type { Sql } from '../sql.ts';
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
  /** 1: its last holder died. */
  readonly suspect: 0 | 1;
  /** Set when the key has failed for good in this run. */
  readonly failed: 0 | 1;
  readonly reason: Reason | null;
  readonly message: string | null;
};

const UNTOUCHED: KeyFacts = { attempts: 0, losses: 0, waits: 0, notBeforeMs: 0, suspect: 0, failed: 0, reason: null, message: null };

const SELECT_KEY = `
SELECT attempts, losses, waits, not_before_ms AS notBeforeMs, suspect, failed, reason, message
FROM keys WHERE run_id = :runId AND key = :key`;

export function keyFacts(sql: Sql, runId: string, key: string): KeyFacts {
  return sql.one<KeyFacts>(SELECT_KEY, { runId, key }) ?? UNTOUCHED;
}

const COUNT_ATTEMPT = `
INSERT INTO keys (run_id, key, attempts) VALUES (:runId, :key, 1)
ON CONFLICT (run_id, key) DO UPDATE SET attempts = attempts + 1`;

export function countAttempt(tx: Tx, runId: string, key: string): void {
  tx.sql.run(COUNT_ATTEMPT, { runId, key });
}

const UNCOUNT_ATTEMPT = `UPDATE keys SET attempts = attempts - 1 WHERE run_id = :runId AND key = :key AND attempts > 0`;

/** A sent try that was nobody's fault (429, downgrade, fatal) does not use up an attempt. */
export function uncountAttempt(tx: Tx, runId: string, key: string): void {
  tx.sql.run(UNCOUNT_ATTEMPT, { runId, key });
}

const COUNT_LOSS = `
INSERT INTO keys (run_id, key, losses, suspect) VALUES (:runId, :key, 1, 1)
ON CONFLICT (run_id, key) DO UPDATE SET losses = losses + 1, suspect = 1`;

/** The holder died: counts a lost lease and makes the key a suspect. */
export function countLoss(tx: Tx, runId: string, key: string): void {
  tx.sql.run(COUNT_LOSS, { runId, key });
}

type FailedKey = { readonly runId: string; readonly key: string };

const REMEMBER_RETRY = `
INSERT INTO keys (run_id, key, waits, not_before_ms, reason, message) VALUES (:runId, :key, :waits, :notBeforeMs, :reason, :message)
ON CONFLICT (run_id, key) DO UPDATE SET
  waits = excluded.waits, not_before_ms = excluded.not_before_ms, reason = excluded.reason, message = excluded.message, suspect = 0`;

/** A settled failure: it did not kill its process, so the key is no suspect. */
export function rememberRetry(tx: Tx, step: FailedKey, again: { waits: number; notBeforeMs: number }, error: JobError): void {
  tx.sql.run(REMEMBER_RETRY, { runId: step.runId, key: step.key, ...again, ...error });
}

const REMEMBER_FINAL = `
INSERT INTO keys (run_id, key, failed, reason, message) VALUES (:runId, :key, 1, :reason, :message)
ON CONFLICT (run_id, key) DO UPDATE SET failed = 1, reason = excluded.reason, message = excluded.message, suspect = 0`;

export function rememberFinal(tx: Tx, runId: string, key: string, error: JobError): void {
  tx.sql.run(REMEMBER_FINAL, { runId, key, ...error });
}

const FORGET = `DELETE FROM keys WHERE run_id = :runId AND key = :key`;

/** After a success, or when a person asks for the key afresh. */
export function forgetFailures(tx: Tx, runId: string, key: string): void {
  tx.sql.run(FORGET, { runId, key });
}

const SELECT_KNOWN_BAD = `SELECT reason, message FROM known_bad WHERE key = :key`;

export function knownBad(sql: Sql, key: string): KnownBad | null {
  return sql.one<KnownBad>(SELECT_KNOWN_BAD, { key }) ?? null;
}

const REMEMBER_BAD = `
INSERT INTO known_bad (key, reason, message, call_token) VALUES (:key, :reason, :message, :callToken)
ON CONFLICT (key) DO UPDATE SET reason = excluded.reason, message = excluded.message, call_token = excluded.call_token`;

/** An answer came and is bad: later runs do not pay for it again. */
export function rememberBad(tx: Tx, key: string, error: JobError, callToken: string): void {
  tx.sql.run(REMEMBER_BAD, { key, ...error, callToken });
}

const FORGET_BAD = `DELETE FROM known_bad WHERE key = :key`;

export function forgetBad(tx: Tx, key: string): void {
  tx.sql.run(FORGET_BAD, { key });
}
