import { cacheEntryOf, cacheStatsOf, type EntryColumns, type ModelColumns } from '../../cache-columns.ts';
import type { CacheEntry, CacheSelection, CacheStats } from '../../cache-store.ts';
import { fromJson, type Sql } from '../sql.ts';
import type { Transactor, Tx, View } from '../transactor.ts';
import { gently } from './gently.ts';

// Lengths stand in a row's head, so that the long values are not read; sorted by model in one step, they would be. Imported costs may
// be of any size: `total` does not overflow.
const SELECT_MODELS = `
WITH entries AS MATERIALIZED (
  SELECT coalesce(k.record ->> '$.model', '') AS model, octet_length(r.completion) + octet_length(r.answer) AS size_bytes,
    coalesce((SELECT p.cost_nano_usd FROM calls p WHERE p.call_token = c.call_token), r.cost_nano_usd, 0) AS paid_nano_usd, c.stored_at_ms
  FROM cache c JOIN responses r ON r.call_token = c.call_token LEFT JOIN key_records k ON k.key = c.key)
SELECT model, count(*) AS entries, sum(size_bytes) AS sizeBytes, total(paid_nano_usd) AS paidNanoUsd,
  min(stored_at_ms) AS oldestAtMs, max(stored_at_ms) AS newestAtMs
FROM entries GROUP BY model ORDER BY model`;

export function cacheStats(sql: Sql): CacheStats {
  const knownBad = sql.one<{ count: number }>('SELECT count(*) AS count FROM known_bad')?.count ?? 0;
  return cacheStatsOf(sql.all<ModelColumns>(SELECT_MODELS), knownBad);
}

/** Keys that one transaction looks at: nobody waits long for the write lock. */
const KEYS_PER_TRANSACTION = 1000;

const END_OF_PAGE = `SELECT max(key) AS last FROM (SELECT key FROM cache WHERE key > :after ORDER BY key LIMIT :limit)`;

const SELECTED = `
  (:storedBeforeMs IS NULL OR cache.stored_at_ms < :storedBeforeMs)
  AND ((:model IS NULL AND :namespace IS NULL AND :endpoint IS NULL) OR EXISTS (
    SELECT 1 FROM key_records k WHERE k.key = cache.key
      AND (:model IS NULL OR k.record ->> '$.model' = :model)
      AND (:namespace IS NULL OR k.record ->> '$.namespace' = :namespace)
      AND (:endpoint IS NULL OR k.record ->> '$.endpoint' = :endpoint)))`;

const DROP_PAGE = `DELETE FROM cache WHERE key > :after AND key <= :last AND ${SELECTED}`;
const COUNT = `SELECT count(*) AS count FROM cache WHERE ${SELECTED}`;

const BAD_SELECTED = `
  :storedBeforeMs IS NULL
  AND ((:model IS NULL AND :namespace IS NULL AND :endpoint IS NULL) OR EXISTS (
    SELECT 1 FROM key_records k WHERE k.key = known_bad.key
      AND (:model IS NULL OR k.record ->> '$.model' = :model)
      AND (:namespace IS NULL OR k.record ->> '$.namespace' = :namespace)
      AND (:endpoint IS NULL OR k.record ->> '$.endpoint' = :endpoint)))`;

const DROP_BAD = `DELETE FROM known_bad WHERE ${BAD_SELECTED}`;
const COUNT_BAD = `SELECT count(*) AS count FROM known_bad WHERE ${BAD_SELECTED}`;

type Dropped = { entries: number; knownBad: number };

/** Drops in the order of keys, page by page. A queued step that had been promised one of the answers gets its grants from the claim. */
export async function invalidateCache(transactor: Transactor, selection: CacheSelection): Promise<Dropped> {
  const knownBad = await gently(transactor, (tx) => tx.sql.run(DROP_BAD, selection));
  let entries = 0;
  for (let after: string | null = ''; after !== null; ) {
    const page = await gently(transactor, (tx) => dropPage(tx, selection, after ?? ''));
    entries += page.dropped;
    after = page.last;
  }
  return { entries, knownBad };
}

function dropPage(tx: Tx, selection: CacheSelection, after: string): { dropped: number; last: string | null } {
  const last = tx.sql.one<{ last: string | null }>(END_OF_PAGE, { after, limit: KEYS_PER_TRANSACTION })?.last ?? null;
  return { last, dropped: last === null ? 0 : tx.sql.run(DROP_PAGE, { ...selection, after, last }) };
}

/** What `invalidateCache` would drop. */
export function countSelected({ sql }: View, selection: CacheSelection): Dropped {
  const count = (text: string) => sql.one<{ count: number }>(text, selection)?.count ?? 0;
  return { entries: count(COUNT), knownBad: count(COUNT_BAD) };
}

type EntryRow = Omit<EntryColumns, 'keyRecord' | 'completion' | 'answer' | 'repaired'> & {
  readonly keyRecord: string;
  readonly completion: string;
  readonly answer: string;
  readonly repaired: 0 | 1;
};

const SELECT_ENTRIES = `
SELECT c.key, k.record AS keyRecord, c.call_token AS callToken, r.step_kind AS stepKind, r.completion, r.answer, r.repaired,
  r.recorded_at_ms AS recordedAtMs, c.stored_at_ms AS storedAtMs, r.run_id AS runId, r.job_id AS jobId,
  coalesce((SELECT p.cost_nano_usd FROM calls p WHERE p.call_token = c.call_token), r.cost_nano_usd) AS costNanoUsd
FROM cache c JOIN responses r ON r.call_token = c.call_token JOIN key_records k ON k.key = c.key
WHERE c.key > :after ORDER BY c.key LIMIT :limit`;

/** In the order of their keys. */
export function cacheEntries(sql: Sql, page: { readonly after: string; readonly limit: number }): readonly CacheEntry[] {
  return sql.all<EntryRow>(SELECT_ENTRIES, page).map((row) =>
    cacheEntryOf({
      ...row,
      keyRecord: fromJson<CacheEntry['keyRecord']>(row.keyRecord),
      completion: fromJson<CacheEntry['completion']>(row.completion),
      answer: fromJson<CacheEntry['answer']>(row.answer),
      repaired: row.repaired === 1,
    }),
  );
}
