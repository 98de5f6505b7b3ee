import type { Json } from '../../../domain/canonical-json.ts';
import type { Completion } from '../../../domain/completion.ts';
import type { CanonicalText } from '../../../domain/document.ts';
import type { RunDocument } from '../../plan-rows.ts';
import { type ContentColumns, contentOf } from '../../stored-text.ts';
import { fromJson, type Sql } from '../sql.ts';
import { type TextRow, textOf } from './extractions.ts';

const SELECT_TEXT = `
SELECT d.text_sha256 AS textSha256, t.text, s.structure FROM documents d
JOIN texts t ON t.text_sha256 = d.text_sha256 JOIN structures s ON s.structure_sha256 = d.structure_sha256
WHERE d.run_id = :runId AND d.document_id = :documentId`;

export function canonicalText(sql: Sql, runId: string, documentId: string): CanonicalText | null {
  const row = sql.one<TextRow>(SELECT_TEXT, { runId, documentId });
  return row === undefined ? null : textOf(row);
}

type DocumentRow = Omit<RunDocument, 'tags' | 'content'> & ContentColumns & { readonly tags: string };

const SELECT_DOCUMENTS = `
SELECT document_id AS documentId, path, bytes_sha256 AS bytesSha256, tags, size_bytes AS sizeBytes, text_sha256 AS textSha256,
  error_reason AS reason, error_message AS message
FROM documents WHERE run_id = :runId ORDER BY position`;

/** In the order in which they were added, without their texts. */
export function documents(sql: Sql, runId: string): readonly RunDocument[] {
  return sql.all<DocumentRow>(SELECT_DOCUMENTS, { runId }).map(({ tags, textSha256, reason, message, ...document }) => ({
    ...document,
    tags: fromJson<readonly string[]>(tags),
    content: contentOf({ textSha256, reason, message }),
  }));
}

const SELECT_RESPONSE = `SELECT completion FROM responses WHERE call_token = :callToken`;

export function response(sql: Sql, callToken: string): Completion | null {
  const row = sql.one<{ completion: string }>(SELECT_RESPONSE, { callToken });
  return row === undefined ? null : fromJson<Completion>(row.completion);
}

const ASKED = `(SELECT DISTINCT value FROM json_each(:keys)) k ON k.value = c.key`;
const YOUNG_ENOUGH = `
(:freshAfterMs IS NULL OR c.stored_at_ms > :freshAfterMs) AND (:ttlMs IS NULL OR c.stored_at_ms + :ttlMs > :nowMs)`;

const SELECT_CACHED = `SELECT c.key FROM cache c JOIN ${ASKED} WHERE ${YOUNG_ENOUGH}`;

export type CacheQuery = { readonly keys: readonly string[]; readonly freshAfterMs: number | null; readonly ttlMs: number | null };

/** Those of the keys that have an answer young enough. */
export function cachedKeys(sql: Sql, nowMs: number, { keys, ...age }: CacheQuery): ReadonlySet<string> {
  const rows = sql.all<{ key: string }>(SELECT_CACHED, { keys: JSON.stringify(keys), ...age, nowMs });
  return new Set(rows.map(({ key }) => key));
}

const SELECT_CACHED_ANSWERS = `
SELECT c.key, r.answer FROM cache c JOIN ${ASKED} JOIN responses r ON r.call_token = c.call_token
WHERE ${YOUNG_ENOUGH}`;

/** The answers to those of the keys that have one young enough. */
export function cachedAnswers(sql: Sql, nowMs: number, { keys, ...age }: CacheQuery): ReadonlyMap<string, Json> {
  const rows = sql.all<{ key: string; answer: string }>(SELECT_CACHED_ANSWERS, { keys: JSON.stringify(keys), ...age, nowMs });
  return new Map(rows.map(({ key, answer }) => [key, fromJson<Json>(answer)]));
}

const SELECT_BAD = `SELECT b.key FROM known_bad b JOIN (SELECT DISTINCT value FROM json_each(:keys)) k ON k.value = b.key`;

/** Those of the keys whose answer is known to be bad. */
export function knownBadKeys(sql: Sql, keys: readonly string[]): ReadonlySet<string> {
  return new Set(sql.all<{ key: string }>(SELECT_BAD, { keys: JSON.stringify(keys) }).map(({ key }) => key));
}
