import type { CacheEntry, Imported } from '../../cache-store.ts';
import { type CachedCall, type Fate, fateOf, type Here, type KnownCall } from '../../import-fate.ts';
import { keysLocks } from '../locks.ts';
import { forgetBad } from '../steps/failures.ts';
import { openGatesForImport } from '../steps/gates.ts';
import { addKeyRecords } from '../steps/insert-steps.ts';
import type { Transactor, Tx } from '../transactor.ts';
import { hintAtWork } from '../work-hint.ts';

/** An entry holds a whole prompt, and the runs that wait for one of the answers are locked meanwhile. */
const ENTRIES_PER_TRANSACTION = 50;

export async function importCache(transactor: Transactor, entries: readonly CacheEntry[]): Promise<Imported> {
  const counts = { added: 0, replaced: 0, kept: 0, conflicts: 0 };
  for (const batch of batches(entries)) {
    const keys = batch.map(({ key }) => key);
    for (const { as } of await transactor.write(keysLocks(keys), (tx) => importBatch(tx, batch))) counts[as] += 1;
  }
  return counts;
}

/** What an entry brings is known to the next one of its key or call only in another transaction: a batch holds each of them once. */
function* batches(entries: readonly CacheEntry[]): Generator<readonly CacheEntry[]> {
  let batch: CacheEntry[] = [];
  let names = new Set<string>();
  for (const entry of entries) {
    const own = [`key ${entry.key}`, `call ${entry.callToken}`];
    if (batch.length === ENTRIES_PER_TRANSACTION || own.some((name) => names.has(name))) {
      yield batch;
      [batch, names] = [[], new Set()];
    }
    batch.push(entry);
    for (const name of own) names.add(name);
  }
  if (batch.length > 0) yield batch;
}

async function importBatch(tx: Tx, batch: readonly CacheEntry[]): Promise<readonly Fate[]> {
  const here = await heresOf(tx, batch);
  const fated = batch.map((entry, at) => ({ entry, fate: fateOf(entry, here[at] ?? NOTHING, tx.nowMs) }));
  const taken = fated.filter(({ fate }) => fate.as === 'added' || fate.as === 'replaced').map(({ entry }) => entry);
  const keys = taken.map(({ key }) => key);
  if (taken.length > 0) {
    await addResponses(
      tx,
      fated.filter(({ fate }) => fate.withAnswer).map(({ entry }) => entry),
    );
    addKeyRecords(tx, taken);
    await store(tx, taken);
    forgetBad(tx, keys);
    openGatesForImport(tx, keys);
    hintAtWork(tx);
  }
  return fated.map(({ fate }) => fate);
}

const NOTHING: Here = { call: null, cached: null };

// Answers that are here must not be taken away before the cache refers to them.
const SELECT_KNOWN = `
SELECT call_token, key, step_kind, completion, judgement, answer, repaired FROM responses
WHERE call_token = ANY(:callTokens::text[]) ORDER BY call_token FOR KEY SHARE`;
const IN_FLIGHT = `SELECT call_token FROM calls WHERE call_token = ANY(:callTokens::text[]) AND state IN ('reserved', 'sent')`;
// Nobody drops it, or stores another one, meanwhile; one that comes where there was none is met by the same rule as it is stored.
const SELECT_STORED = `
SELECT key, call_token, stored_at_ms FROM cache WHERE key = ANY(:keys::text[]) ORDER BY key FOR UPDATE`;

/** What is here of each entry, in their order. */
async function heresOf({ sql }: Tx, batch: readonly CacheEntry[]): Promise<readonly Here[]> {
  const params = { callTokens: batch.map(({ callToken }) => callToken) };
  const known = new Map(
    (await sql.all<KnownCall & { readonly callToken: string }>(SELECT_KNOWN, params)).map((row) => [row.callToken, row]),
  );
  const inFlight = new Set((await sql.all<{ callToken: string }>(IN_FLIGHT, params)).map(({ callToken }) => callToken));
  const stored = await sql.all<CachedCall & { readonly key: string }>(SELECT_STORED, { keys: batch.map(({ key }) => key) });
  const cached = new Map(stored.map((row) => [row.key, row]));
  return batch.map(({ key, callToken }) => ({
    call: known.get(callToken) ?? (inFlight.has(callToken) ? 'inFlight' : null),
    cached: cached.get(key) ?? null,
  }));
}

const INSERT = `
INSERT INTO responses (call_token, run_id, job_id, key, step_kind, completion, latency_ms, mode, recorded_at_ms, judgement, judged_at_ms,
  answer, repaired, cost_nano_usd, imported)
SELECT call_token, run_id, job_id, key, step_kind, completion, latency_ms, mode, least(recorded_at_ms, :nowMs::bigint), 'valid',
  least(stored_at_ms, :nowMs), answer, repaired, cost_nano_usd, true
FROM unnest(:callTokens::text[], :runIds::text[], :jobIds::text[], :keys::text[], :stepKinds::text[], :completions::json[],
  :latenciesMs::double precision[], :modes::text[], :recordedAtMs::bigint[], :storedAtMs::bigint[], :answers::json[], :repaired::boolean[],
  :costs::bigint[])
  AS e (call_token, run_id, job_id, key, step_kind, completion, latency_ms, mode, recorded_at_ms, stored_at_ms, answer, repaired,
    cost_nano_usd)
ORDER BY call_token`;

async function addResponses(tx: Tx, entries: readonly CacheEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const column = <Value>(of: (entry: CacheEntry) => Value): readonly Value[] => entries.map(of);
  await tx.sql.run(INSERT, {
    nowMs: tx.nowMs,
    callTokens: column(({ callToken }) => callToken),
    runIds: column(({ origin }) => origin.runId),
    jobIds: column(({ origin }) => origin.jobId),
    keys: column(({ key }) => key),
    stepKinds: column(({ stepKind }) => stepKind),
    completions: column(({ completion }) => JSON.stringify(completion)),
    latenciesMs: column(({ completion }) => completion.latencyMs),
    modes: column(({ completion }) => completion.mode),
    recordedAtMs: column(({ recordedAtMs }) => recordedAtMs),
    storedAtMs: column(({ storedAtMs }) => storedAtMs),
    answers: column(({ answer }) => JSON.stringify(answer)),
    repaired: column(({ repaired }) => repaired),
    costs: column(({ origin }) => origin.costNanoUsd),
  });
}

const STORE = `
INSERT INTO cache AS c (key, call_token, stored_at_ms)
SELECT key, call_token, least(stored_at_ms, :nowMs::bigint)
FROM unnest(:keys::text[], :callTokens::text[], :storedAtMs::bigint[]) AS e (key, call_token, stored_at_ms) ORDER BY key
ON CONFLICT (key) DO UPDATE SET call_token = excluded.call_token, stored_at_ms = excluded.stored_at_ms
WHERE (excluded.stored_at_ms, excluded.call_token) > (c.stored_at_ms, c.call_token)`;

async function store(tx: Tx, entries: readonly CacheEntry[]): Promise<void> {
  await tx.sql.run(STORE, {
    nowMs: tx.nowMs,
    keys: entries.map(({ key }) => key),
    callTokens: entries.map(({ callToken }) => callToken),
    storedAtMs: entries.map(({ storedAtMs }) => storedAtMs),
  });
}
