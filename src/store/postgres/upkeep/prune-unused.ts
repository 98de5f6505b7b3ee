import type { Gone } from '../../maintenance.ts';
import { NO_LOCKS } from '../locks.ts';
import type { Sql } from '../sql.ts';
import type { Transactor, Tx, View } from '../transactor.ts';

/** One table of things that others refer to. */
type Kind = {
  /** The ids of rows that nothing refers to. */
  readonly find: string;
  /** What the rows of `:ids` take. */
  readonly size: string;
  /** Locks the rows of `:ids`: who is about to refer to one of them waits, and finds it gone. */
  readonly lock: string;
  /** Deletes the rows of `:ids` that nothing refers to at this moment. */
  readonly drop: string;
};

/** Rows that one transaction deletes. */
const ROWS_PER_TRANSACTION = 500;

/** Runs that are gone, or taken to be: `:runs` are those of a dry run. */
const GONE_RUNS = `SELECT run_id FROM runs WHERE pruned_at_ms IS NOT NULL UNION ALL SELECT unnest(:runs::text[])`;

const lockOf = (table: string, id: string) => `SELECT ${id} FROM ${table} WHERE ${id} = ANY(:ids::text[]) ORDER BY ${id} FOR UPDATE`;

const RESPONSES: Kind = {
  find: `
SELECT r.call_token AS id FROM responses r
WHERE (r.imported OR NOT EXISTS (SELECT 1 FROM runs o WHERE o.run_id = r.run_id AND o.run_id NOT IN (${GONE_RUNS})))
  AND NOT EXISTS (
    SELECT 1 FROM cache c WHERE c.key = r.key AND c.call_token = r.call_token
      AND (:cacheBeforeMs::bigint IS NULL OR c.stored_at_ms >= :cacheBeforeMs))
  AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.state = 'running' AND s.key = r.key)
EXCEPT SELECT call_token FROM steps WHERE run_id NOT IN (${GONE_RUNS})
EXCEPT SELECT answer_call_token FROM jobs WHERE run_id NOT IN (${GONE_RUNS})`,
  size: `
SELECT sum(octet_length(completion::text) + coalesce(octet_length(answer::text), 0)) AS size_bytes FROM responses
WHERE call_token = ANY(:ids::text[])`,
  lock: lockOf('responses', 'call_token'),
  // Outside the cache, an answer without a run is served to nobody: only an import can have changed that.
  drop: `
DELETE FROM responses WHERE call_token = ANY(:ids::text[])
  AND NOT EXISTS (SELECT 1 FROM cache c WHERE c.call_token = responses.call_token)`,
};

const EXTRACTIONS: Kind = {
  find: `
SELECT e.extraction_key AS id FROM extractions e
WHERE NOT EXISTS (
  SELECT 1 FROM documents d
  WHERE d.text_sha256 = e.text_sha256 AND d.structure_sha256 = e.structure_sha256 AND d.run_id NOT IN (${GONE_RUNS}))`,
  size: `SELECT sum(octet_length(extraction_key)) AS size_bytes FROM extractions WHERE extraction_key = ANY(:ids::text[])`,
  lock: lockOf('extractions', 'extraction_key'),
  drop: `
DELETE FROM extractions e WHERE e.extraction_key = ANY(:ids::text[])
  AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.text_sha256 = e.text_sha256 AND d.structure_sha256 = e.structure_sha256)`,
};

const TEXTS: Kind = {
  find: `
SELECT text_sha256 AS id FROM texts
EXCEPT SELECT text_sha256 FROM documents WHERE run_id NOT IN (${GONE_RUNS})
EXCEPT SELECT text_sha256 FROM jobs WHERE run_id NOT IN (${GONE_RUNS})`,
  size: `SELECT sum(octet_length(text)) AS size_bytes FROM texts WHERE text_sha256 = ANY(:ids::text[])`,
  lock: lockOf('texts', 'text_sha256'),
  // A new job refers to a text only after its document does.
  drop: `
DELETE FROM texts t WHERE t.text_sha256 = ANY(:ids::text[])
  AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.text_sha256 = t.text_sha256)
  AND NOT EXISTS (SELECT 1 FROM extractions e WHERE e.text_sha256 = t.text_sha256)`,
};

const STRUCTURES: Kind = {
  find: `
SELECT structure_sha256 AS id FROM structures
EXCEPT SELECT structure_sha256 FROM documents WHERE run_id NOT IN (${GONE_RUNS})`,
  size: `SELECT sum(octet_length(structure::text)) AS size_bytes FROM structures WHERE structure_sha256 = ANY(:ids::text[])`,
  lock: lockOf('structures', 'structure_sha256'),
  drop: `
DELETE FROM structures t WHERE t.structure_sha256 = ANY(:ids::text[])
  AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.structure_sha256 = t.structure_sha256)
  AND NOT EXISTS (SELECT 1 FROM extractions e WHERE e.structure_sha256 = t.structure_sha256)`,
};

const KEY_RECORDS: Kind = {
  find: `
SELECT key AS id FROM key_records
EXCEPT SELECT key FROM steps WHERE run_id NOT IN (${GONE_RUNS})
EXCEPT SELECT key FROM cache WHERE :cacheBeforeMs::bigint IS NULL OR stored_at_ms >= :cacheBeforeMs
EXCEPT SELECT key FROM known_bad`,
  size: `SELECT sum(octet_length(key) + octet_length(record::text)) AS size_bytes FROM key_records WHERE key = ANY(:ids::text[])`,
  lock: lockOf('key_records', 'key'),
  drop: `
DELETE FROM key_records k WHERE k.key = ANY(:ids::text[])
  AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.key = k.key)
  AND NOT EXISTS (SELECT 1 FROM cache c WHERE c.key = k.key)
  AND NOT EXISTS (SELECT 1 FROM known_bad b WHERE b.key = k.key)`,
};

/** What refers to others goes before what it refers to. */
const KINDS: readonly Kind[] = [RESPONSES, EXTRACTIONS, TEXTS, STRUCTURES, KEY_RECORDS];

export type Unused = {
  readonly rows: number;
  readonly sizeBytes: number;
  readonly found: readonly { readonly kind: Kind; readonly ids: readonly string[] }[];
};

/** What nothing refers to, on one snapshot, with `gone` taken away. */
export async function unused({ sql }: View, gone: Gone): Promise<Unused> {
  const params = { runs: gone.runIds, cacheBeforeMs: gone.cacheBeforeMs };
  const found: { kind: Kind; ids: readonly string[] }[] = [];
  let [rows, sizeBytes] = [0, 0];
  for (const kind of KINDS) {
    const ids = (await sql.all<{ id: string }>(kind.find, params)).map(({ id }) => id);
    found.push({ kind, ids });
    rows += ids.length;
    sizeBytes += await sizeOf(sql, kind, ids);
  }
  return { found, rows, sizeBytes };
}

async function sizeOf(sql: Sql, { size }: Kind, ids: readonly string[]): Promise<number> {
  return (await sql.one<{ sizeBytes: number | null }>(size, { ids }))?.sizeBytes ?? 0;
}

/** Deletes what was found, unless something refers to it by now. */
export async function dropUnused(transactor: Transactor, { found }: Unused): Promise<void> {
  for (const { kind, ids } of found) {
    for (let start = 0; start < ids.length; start += ROWS_PER_TRANSACTION) {
      const page = ids.slice(start, start + ROWS_PER_TRANSACTION);
      await transactor.write(NO_LOCKS, (tx) => dropPage(tx, kind, page));
    }
  }
}

/** The second statement sees all that was committed while the first one waited. */
async function dropPage({ sql }: Tx, { lock, drop }: Kind, ids: readonly string[]): Promise<void> {
  await sql.all(lock, { ids });
  await sql.run(drop, { ids });
}
