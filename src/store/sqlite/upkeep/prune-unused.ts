import type { Gone } from '../../maintenance.ts';
import type { Transactor, View } from '../transactor.ts';
import { gently } from './gently.ts';

/** One table of things that others refer to. */
type Kind = {
  /** The ids of rows that nothing refers to. */
  readonly find: string;
  /** What the rows of `:ids` take. */
  readonly size: string;
  /** Deletes the rows of `:ids` that nothing refers to at this moment. */
  readonly drop: string;
  /** Rows that one transaction deletes. */
  readonly page: number;
};

/** Runs that are gone, or taken to be: `:runs` are those of a dry run. */
const GONE_RUNS = `SELECT run_id FROM runs WHERE pruned_at_ms IS NOT NULL UNION ALL SELECT value FROM json_each(:runs)`;

const RESPONSES: Kind = {
  find: `
SELECT r.call_token AS id FROM responses r
WHERE (r.imported = 1 OR NOT EXISTS (SELECT 1 FROM runs o WHERE o.run_id = r.run_id AND o.run_id NOT IN (${GONE_RUNS})))
  AND NOT EXISTS (
    SELECT 1 FROM cache c WHERE c.key = r.key AND c.call_token = r.call_token
      AND (:cacheBeforeMs IS NULL OR c.stored_at_ms >= :cacheBeforeMs))
  AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.state = 'running' AND s.key = r.key)
EXCEPT SELECT call_token FROM steps WHERE run_id NOT IN (${GONE_RUNS})
EXCEPT SELECT answer_call_token FROM jobs WHERE run_id NOT IN (${GONE_RUNS})`,
  size: `
SELECT sum(octet_length(completion) + coalesce(octet_length(answer), 0)) AS sizeBytes FROM responses
WHERE call_token IN (SELECT value FROM json_each(:ids))`,
  // Outside the cache, an answer without a run is served to nobody: only an import can have changed that.
  drop: `
DELETE FROM responses WHERE call_token IN (SELECT value FROM json_each(:ids))
  AND NOT EXISTS (SELECT 1 FROM cache c WHERE c.key = responses.key AND c.call_token = responses.call_token)`,
  page: 100,
};

const EXTRACTIONS: Kind = {
  find: `
SELECT extraction_key AS id FROM extractions
WHERE (text_sha256, structure_sha256) NOT IN (
  SELECT text_sha256, structure_sha256 FROM documents
  WHERE structure_sha256 IS NOT NULL AND text_sha256 IS NOT NULL AND run_id NOT IN (${GONE_RUNS}))`,
  size: `SELECT sum(octet_length(extraction_key)) AS sizeBytes FROM extractions WHERE extraction_key IN (SELECT value FROM json_each(:ids))`,
  drop: `
DELETE FROM extractions WHERE extraction_key IN (SELECT value FROM json_each(:ids))
  AND (text_sha256, structure_sha256) NOT IN (
    SELECT text_sha256, structure_sha256 FROM documents WHERE structure_sha256 IS NOT NULL AND text_sha256 IS NOT NULL)`,
  page: 1000,
};

const TEXTS: Kind = {
  find: `
SELECT text_sha256 AS id FROM texts
EXCEPT SELECT text_sha256 FROM documents WHERE run_id NOT IN (${GONE_RUNS})
EXCEPT SELECT text_sha256 FROM jobs WHERE run_id NOT IN (${GONE_RUNS})`,
  size: `SELECT sum(octet_length(text)) AS sizeBytes FROM texts WHERE text_sha256 IN (SELECT value FROM json_each(:ids))`,
  // A new job refers to a text only after its document does.
  drop: `
DELETE FROM texts WHERE text_sha256 IN (
  SELECT value FROM json_each(:ids) EXCEPT SELECT text_sha256 FROM documents EXCEPT SELECT text_sha256 FROM extractions)`,
  page: 100,
};

const STRUCTURES: Kind = {
  find: `
SELECT structure_sha256 AS id FROM structures
EXCEPT SELECT structure_sha256 FROM documents WHERE run_id NOT IN (${GONE_RUNS})`,
  size: `
SELECT sum(octet_length(structure)) AS sizeBytes FROM structures WHERE structure_sha256 IN (SELECT value FROM json_each(:ids))`,
  drop: `
DELETE FROM structures WHERE structure_sha256 IN (
  SELECT value FROM json_each(:ids) EXCEPT SELECT structure_sha256 FROM documents EXCEPT SELECT structure_sha256 FROM extractions)`,
  page: 100,
};

const KEY_RECORDS: Kind = {
  find: `
SELECT key AS id FROM key_records
EXCEPT SELECT key FROM steps WHERE run_id NOT IN (${GONE_RUNS})
EXCEPT SELECT key FROM cache WHERE :cacheBeforeMs IS NULL OR stored_at_ms >= :cacheBeforeMs
EXCEPT SELECT key FROM known_bad`,
  size: `SELECT sum(octet_length(key) + octet_length(record)) AS sizeBytes FROM key_records WHERE key IN (SELECT value FROM json_each(:ids))`,
  drop: `
DELETE FROM key_records WHERE key IN (
  SELECT value FROM json_each(:ids) EXCEPT SELECT key FROM steps EXCEPT SELECT key FROM cache EXCEPT SELECT key FROM known_bad)`,
  // Short rows, and each look passes over all steps: one look.
  page: Number.MAX_SAFE_INTEGER,
};

/** What refers to others goes before what it refers to. */
const KINDS: readonly Kind[] = [RESPONSES, EXTRACTIONS, TEXTS, STRUCTURES, KEY_RECORDS];

export type Unused = {
  readonly rows: number;
  readonly sizeBytes: number;
  readonly found: readonly { readonly kind: Kind; readonly ids: readonly string[] }[];
};

/** What nothing refers to, on one snapshot, with `gone` taken away. */
export function unused({ sql }: View, gone: Gone): Unused {
  const params = { runs: JSON.stringify(gone.runIds), cacheBeforeMs: gone.cacheBeforeMs };
  const found = KINDS.map((kind) => ({ kind, ids: sql.all<{ id: string }>(kind.find, params).map(({ id }) => id) }));
  const sizes = found.map(
    ({ kind, ids }) => sql.one<{ sizeBytes: number | null }>(kind.size, { ids: JSON.stringify(ids) })?.sizeBytes ?? 0,
  );
  return {
    found,
    rows: found.reduce((sum, { ids }) => sum + ids.length, 0),
    sizeBytes: sizes.reduce((sum, size) => sum + size, 0),
  };
}

/** Deletes what was found, unless something refers to it by now. */
export async function dropUnused(transactor: Transactor, { found }: Unused): Promise<void> {
  for (const { kind, ids } of found) {
    for (let start = 0; start < ids.length; start += kind.page) {
      const page = JSON.stringify(ids.slice(start, start + kind.page));
      await gently(transactor, (tx) => tx.sql.run(kind.drop, { ids: page }));
    }
  }
}
