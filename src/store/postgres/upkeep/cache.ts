import { cacheEntryOf, cacheStatsOf, type EntryColumns, type ModelColumns } from '../../cache-columns.ts';
import type { CacheEntry, CacheSelection, CacheStats } from '../../cache-store.ts';
import { NO_LOCKS } from '../locks.ts';
import type { Sql } from '../sql.ts';
import type { Transactor, Tx, View } from '../transactor.ts';

// Lengths stand beside the values, so that the long ones are not read.
const SELECT_MODELS = `
SELECT model, count(*) AS entries, sum(size_bytes) AS size_bytes, sum(paid_nano_usd) AS paid_nano_usd,
  min(stored_at_ms) AS oldest_at_ms, max(stored_at_ms) AS newest_at_ms
FROM (
  SELECT coalesce(k.model, '') AS model, octet_length(r.completion::text) + octet_length(r.answer::text) AS size_bytes,
    coalesce(p.cost_nano_usd, r.cost_nano_usd, 0) AS paid_nano_usd, c.stored_at_ms
  FROM cache c JOIN responses r ON r.call_token = c.call_token LEFT JOIN key_records k ON k.key = c.key
  LEFT JOIN calls p ON p.call_token = c.call_token) e
GROUP BY model ORDER BY model`;

const COUNT_ALL_BAD = 'SELECT count(*) AS count FROM known_bad';

export async function cacheStats(sql: Sql): Promise<CacheStats> {
  return cacheStatsOf(await sql.all<ModelColumns>(SELECT_MODELS), await count(sql, COUNT_ALL_BAD));
}

/** Keys that one transaction looks at: nobody waits long for one of them. */
const KEYS_PER_TRANSACTION = 1000;

const END_OF_PAGE = `SELECT max(key) AS last FROM (SELECT key FROM cache WHERE key > :after ORDER BY key LIMIT :limit) p`;

const ofKey = (table: string) => `
  ((:model::text IS NULL AND :namespace::text IS NULL AND :endpoint::text IS NULL) OR EXISTS (
    SELECT 1 FROM key_records k WHERE k.key = ${table}.key
      AND (:model IS NULL OR k.model = :model)
      AND (:namespace IS NULL OR k.namespace = :namespace)
      AND (:endpoint IS NULL OR k.endpoint = :endpoint)))`;

const SELECTED = `(:storedBeforeMs::bigint IS NULL OR cache.stored_at_ms < :storedBeforeMs) AND ${ofKey('cache')}`;
const BAD_SELECTED = `:storedBeforeMs::bigint IS NULL AND ${ofKey('known_bad')}`;

// In the order of the keys, as an import takes them: two that do this at once do not wait for each other in a circle.
const DROP_PAGE = `
DELETE FROM cache WHERE key IN (SELECT key FROM cache WHERE key > :after AND key <= :last AND ${SELECTED} ORDER BY key FOR UPDATE)`;
const COUNT = `SELECT count(*) AS count FROM cache WHERE ${SELECTED}`;

const DROP_BAD = `DELETE FROM known_bad WHERE key IN (SELECT key FROM known_bad WHERE ${BAD_SELECTED} ORDER BY key FOR UPDATE)`;
const COUNT_BAD = `SELECT count(*) AS count FROM known_bad WHERE ${BAD_SELECTED}`;

type Dropped = { entries: number; knownBad: number };

/** Drops in the order of keys, page by page. A queued step that had been promised one of the answers gets its grants from the claim. */
export async function invalidateCache(transactor: Transactor, selection: CacheSelection): Promise<Dropped> {
  const knownBad = await transactor.write(NO_LOCKS, ({ sql }) => sql.run(DROP_BAD, selection));
  let entries = 0;
  for (let after: string | null = ''; after !== null; ) {
    const page = await transactor.write(NO_LOCKS, (tx) => dropPage(tx, selection, after ?? ''));
    entries += page.dropped;
    after = page.last;
  }
  return { entries, knownBad };
}

async function dropPage({ sql }: Tx, selection: CacheSelection, after: string): Promise<{ dropped: number; last: string | null }> {
  const last = (await sql.one<{ last: string | null }>(END_OF_PAGE, { after, limit: KEYS_PER_TRANSACTION }))?.last ?? null;
  return { last, dropped: last === null ? 0 : await sql.run(DROP_PAGE, { ...selection, after, last }) };
}

/** What `invalidateCache` would drop. */
export async function countSelected({ sql }: View, selection: CacheSelection): Promise<Dropped> {
  return { entries: await count(sql, COUNT, selection), knownBad: await count(sql, COUNT_BAD, selection) };
}

async function count(sql: Sql, text: string, selection?: CacheSelection): Promise<number> {
  return (await sql.one<{ count: number }>(text, selection))?.count ?? 0;
}

const SELECT_ENTRIES = `
WITH page AS MATERIALIZED (SELECT * FROM cache WHERE key > :after ORDER BY key LIMIT :limit)
SELECT c.key, k.record AS key_record, c.call_token, r.step_kind, r.completion, r.answer, r.repaired, r.recorded_at_ms, c.stored_at_ms,
  r.run_id, r.job_id, coalesce((SELECT p.cost_nano_usd FROM calls p WHERE p.call_token = c.call_token), r.cost_nano_usd) AS cost_nano_usd
FROM page c JOIN responses r ON r.call_token = c.call_token JOIN key_records k ON k.key = c.key ORDER BY c.key`;

/** In the order of their keys. */
export async function cacheEntries(sql: Sql, page: { readonly after: string; readonly limit: number }): Promise<readonly CacheEntry[]> {
  return (await sql.all<EntryColumns>(SELECT_ENTRIES, page)).map(cacheEntryOf);
}
