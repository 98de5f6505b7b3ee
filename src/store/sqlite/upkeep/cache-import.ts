import { canonicalJson } from '../../../domain/canonical-json.ts';
import type { CacheEntry, Imported } from '../../cache-store.ts';
import { fromJson } from '../sql.ts';
import { forgetBad } from '../steps/failures.ts';
import { openGatesForImport } from '../steps/hits.ts';
import type { Transactor, Tx } from '../transactor.ts';
import { gently } from './gently.ts';

/** An entry holds a whole prompt: a transaction takes few, so that nobody waits long for the write lock. */
const ENTRIES_PER_TRANSACTION = 25;

type Fate = keyof Imported;

export async function importCache(transactor: Transactor, entries: readonly CacheEntry[]): Promise<Imported> {
  const counts = { added: 0, replaced: 0, kept: 0, conflicts: 0 };
  for (let start = 0; start < entries.length; start += ENTRIES_PER_TRANSACTION) {
    const chunk = entries.slice(start, start + ENTRIES_PER_TRANSACTION);
    for (const fate of await gently(transactor, (tx) => chunk.map((entry) => importEntry(tx, entry)))) counts[fate] += 1;
  }
  return counts;
}

type Stored = { readonly callToken: string; readonly storedAtMs: number };

const SELECT_STORED = `SELECT call_token AS callToken, stored_at_ms AS storedAtMs FROM cache WHERE key = :key`;
const INSERT_KEY_RECORD = `INSERT INTO key_records (key, record) VALUES (:key, :record) ON CONFLICT DO NOTHING`;
const STORE = `
INSERT INTO cache (key, call_token, stored_at_ms) VALUES (:key, :callToken, :storedAtMs)
ON CONFLICT (key) DO UPDATE SET call_token = excluded.call_token, stored_at_ms = excluded.stored_at_ms`;

function importEntry(tx: Tx, entry: CacheEntry): Fate {
  const { key, callToken } = entry;
  const known = knownOf(tx, entry);
  if (known === 'other') return 'conflicts';
  const stored = tx.sql.one<Stored>(SELECT_STORED, { key });
  if (known === 'unjudged' || (stored !== undefined && !isLater(tx, entry, stored))) return 'kept';
  if (known === 'nothing') addResponse(tx, entry);
  tx.sql.run(INSERT_KEY_RECORD, { key, record: JSON.stringify(entry.keyRecord) });
  tx.sql.run(STORE, { key, callToken, storedAtMs: Math.min(entry.storedAtMs, tx.nowMs) });
  forgetBad(tx, key);
  openGatesForImport(tx, key);
  return stored === undefined ? 'added' : 'replaced';
}

/**
 * A total order, so that two stores that import the same entries hold the same, in whatever order they came. What comes from the
 * future, by another machine's clock, counts as stored now; the same again is not stored later.
 */
function isLater({ nowMs }: Tx, entry: CacheEntry, stored: Stored): boolean {
  const { callToken } = entry;
  if (callToken === stored.callToken && entry.storedAtMs > nowMs) return false;
  const storedAtMs = Math.min(entry.storedAtMs, nowMs);
  return storedAtMs === stored.storedAtMs ? callToken > stored.callToken : storedAtMs > stored.storedAtMs;
}

const INSERT = `
INSERT INTO responses (call_token, run_id, job_id, key, step_kind, completion, latency_ms, mode, recorded_at_ms, judgement, judged_at_ms,
  answer, repaired, cost_nano_usd, imported)
VALUES (:callToken, :runId, :jobId, :key, :stepKind, :completion, :latencyMs, :mode, min(:recordedAtMs, :nowMs), 'valid',
  min(:storedAtMs, :nowMs), :answer, :repaired, :costNanoUsd, 1)`;

function addResponse(tx: Tx, entry: CacheEntry): void {
  const { callToken, key, stepKind, completion, recordedAtMs, storedAtMs, origin } = entry;
  tx.sql.run(INSERT, {
    ...{ callToken, key, stepKind, recordedAtMs, storedAtMs, nowMs: tx.nowMs },
    ...{ runId: origin.runId, jobId: origin.jobId, costNanoUsd: origin.costNanoUsd },
    completion: JSON.stringify(completion),
    latencyMs: completion.latencyMs,
    mode: completion.mode,
    answer: JSON.stringify(entry.answer),
    repaired: Number(entry.repaired),
  });
}

type Known = {
  readonly key: string;
  readonly stepKind: string;
  readonly completion: string;
  readonly judgement: 'none' | 'valid' | 'invalid';
  readonly answer: string | null;
  readonly repaired: 0 | 1;
};

const SELECT_KNOWN = `
SELECT key, step_kind AS stepKind, completion, judgement, answer, repaired FROM responses WHERE call_token = :callToken`;

// Its own answer may come at any moment, and must find its place free.
const IN_FLIGHT = `SELECT 1 AS found FROM calls WHERE call_token = :callToken AND state IN ('reserved', 'sent')`;

/** What this store knows of the entry's call: the same answer, that it still has to judge, or another one. */
function knownOf(tx: Tx, entry: CacheEntry): 'nothing' | 'same' | 'unjudged' | 'other' {
  const { callToken, key, stepKind, completion, answer, repaired } = entry;
  const row = tx.sql.one<Known>(SELECT_KNOWN, { callToken });
  if (row === undefined) return tx.sql.one(IN_FLIGHT, { callToken }) === undefined ? 'nothing' : 'other';
  if (!isSame([row.key, row.stepKind, fromJson(row.completion)], [key, stepKind, completion])) return 'other';
  if (row.judgement === 'none') return 'unjudged';
  return row.answer !== null && isSame([fromJson(row.answer), row.repaired === 1], [answer, repaired]) ? 'same' : 'other';
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
