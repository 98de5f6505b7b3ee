import type { Json } from '../../../domain/canonical-json.ts';
import type { Completion } from '../../../domain/completion.ts';
import type { CacheEntry, Imported } from '../../cache-store.ts';
import { type CachedCall, fateOf, type Here, type KnownCall } from '../../import-fate.ts';
import { fromJson, fromNullableJson } from '../sql.ts';
import { forgetBad } from '../steps/failures.ts';
import { openGatesForImport } from '../steps/hits.ts';
import type { Transactor, Tx } from '../transactor.ts';
import { gently } from './gently.ts';

/** An entry holds a whole prompt: a transaction takes few, so that nobody waits long for the write lock. */
const ENTRIES_PER_TRANSACTION = 25;

export async function importCache(transactor: Transactor, entries: readonly CacheEntry[]): Promise<Imported> {
  const counts = { added: 0, replaced: 0, kept: 0, conflicts: 0 };
  for (let start = 0; start < entries.length; start += ENTRIES_PER_TRANSACTION) {
    const chunk = entries.slice(start, start + ENTRIES_PER_TRANSACTION);
    for (const fate of await gently(transactor, (tx) => chunk.map((entry) => importEntry(tx, entry)))) counts[fate] += 1;
  }
  return counts;
}

const SELECT_STORED = `SELECT call_token AS callToken, stored_at_ms AS storedAtMs FROM cache WHERE key = :key`;
const INSERT_KEY_RECORD = `INSERT INTO key_records (key, record) VALUES (:key, :record) ON CONFLICT DO NOTHING`;
const STORE = `
INSERT INTO cache (key, call_token, stored_at_ms) VALUES (:key, :callToken, :storedAtMs)
ON CONFLICT (key) DO UPDATE SET call_token = excluded.call_token, stored_at_ms = excluded.stored_at_ms`;

function importEntry(tx: Tx, entry: CacheEntry): keyof Imported {
  const { key, callToken } = entry;
  const { as, withAnswer } = fateOf(entry, hereOf(tx, entry), tx.nowMs);
  if (as === 'conflicts' || as === 'kept') return as;
  if (withAnswer) addResponse(tx, entry);
  tx.sql.run(INSERT_KEY_RECORD, { key, record: JSON.stringify(entry.keyRecord) });
  tx.sql.run(STORE, { key, callToken, storedAtMs: Math.min(entry.storedAtMs, tx.nowMs) });
  forgetBad(tx, key);
  openGatesForImport(tx, key);
  return as;
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

type KnownRow = Omit<KnownCall, 'completion' | 'answer' | 'repaired'> & {
  readonly completion: string;
  readonly answer: string | null;
  readonly repaired: 0 | 1;
};

const SELECT_KNOWN = `
SELECT key, step_kind AS stepKind, completion, judgement, answer, repaired FROM responses WHERE call_token = :callToken`;
const IN_FLIGHT = `SELECT 1 AS found FROM calls WHERE call_token = :callToken AND state IN ('reserved', 'sent')`;

function hereOf({ sql }: Tx, { key, callToken }: CacheEntry): Here {
  const row = sql.one<KnownRow>(SELECT_KNOWN, { callToken });
  const call = row === undefined ? null : knownCall(row);
  const inFlight = call === null && sql.one(IN_FLIGHT, { callToken }) !== undefined;
  return { call: inFlight ? 'inFlight' : call, cached: sql.one<CachedCall>(SELECT_STORED, { key }) ?? null };
}

function knownCall({ completion, answer, repaired, ...row }: KnownRow): KnownCall {
  return { ...row, completion: fromJson<Completion>(completion), answer: fromNullableJson<Json>(answer), repaired: repaired === 1 };
}
