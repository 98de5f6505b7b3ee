import { canonicalJson } from '../../../domain/canonical-json.ts';
import type { CacheEntry } from '../../cache-store.ts';
import { fromJson } from '../sql.ts';
import { forgetBad } from '../steps/failures.ts';
import { openGatesForImport } from '../steps/hits.ts';
import type { Transactor, Tx } from '../transactor.ts';
import { gently } from './gently.ts';

type Imported = { added: number; replaced: number; kept: number };

/** An entry holds a whole prompt: a transaction takes few, so that nobody waits long for the write lock. */
const ENTRIES_PER_TRANSACTION = 25;

export async function importCache(transactor: Transactor, entries: readonly CacheEntry[]): Promise<Imported> {
  const counts: Imported = { added: 0, replaced: 0, kept: 0 };
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

function importEntry(tx: Tx, entry: CacheEntry): keyof Imported {
  const { key, callToken, storedAtMs } = entry;
  const stored = tx.sql.one<Stored>(SELECT_STORED, { key });
  if (stored !== undefined && !isLater(entry, stored)) return 'kept';
  if (!addResponse(tx, entry)) return 'kept';
  tx.sql.run(INSERT_KEY_RECORD, { key, record: JSON.stringify(entry.keyRecord) });
  tx.sql.run(STORE, { key, callToken, storedAtMs });
  forgetBad(tx, key);
  openGatesForImport(tx, key);
  return stored === undefined ? 'added' : 'replaced';
}

/** A total order, so that two stores that import the same entries hold the same, in whatever order they came. */
function isLater(entry: CacheEntry, stored: Stored): boolean {
  if (entry.storedAtMs !== stored.storedAtMs) return entry.storedAtMs > stored.storedAtMs;
  return entry.callToken > stored.callToken;
}

const INSERT = `
INSERT INTO responses (call_token, run_id, job_id, key, step_kind, completion, latency_ms, mode, recorded_at_ms, judgement, judged_at_ms,
  answer, repaired, cost_nano_usd)
VALUES (:callToken, :runId, :jobId, :key, :stepKind, :completion, :latencyMs, :mode, :recordedAtMs, 'valid', :storedAtMs,
  :answer, :repaired, :costNanoUsd)
ON CONFLICT (call_token) DO NOTHING`;

/** False: another answer is known of this call, or the same one and it is not valid here. */
function addResponse(tx: Tx, entry: CacheEntry): boolean {
  const { callToken, key, stepKind, completion, recordedAtMs, storedAtMs, origin } = entry;
  const changes = tx.sql.run(INSERT, {
    ...{ callToken, key, stepKind, recordedAtMs, storedAtMs },
    ...origin,
    completion: JSON.stringify(completion),
    latencyMs: completion.latencyMs,
    mode: completion.mode,
    answer: JSON.stringify(entry.answer),
    repaired: Number(entry.repaired),
  });
  return changes === 1 || isKnown(tx, entry);
}

type Known = {
  readonly key: string;
  readonly stepKind: string;
  readonly completion: string;
  readonly answer: string;
  readonly repaired: 0 | 1;
};

const SELECT_VALID = `
SELECT key, step_kind AS stepKind, completion, answer, repaired FROM responses WHERE call_token = :callToken AND judgement = 'valid'`;

function isKnown(tx: Tx, entry: CacheEntry): boolean {
  const row = tx.sql.one<Known>(SELECT_VALID, { callToken: entry.callToken });
  if (row === undefined) return false;
  const { key, stepKind, completion, answer, repaired } = entry;
  const known = { ...row, completion: fromJson(row.completion), answer: fromJson(row.answer), repaired: row.repaired === 1 };
  return canonicalJson(known) === canonicalJson({ key, stepKind, completion, answer, repaired });
}
