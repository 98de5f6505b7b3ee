import type { Json } from '../../../domain/canonical-json.ts';
import type { Completion } from '../../../domain/completion.ts';
import type { CanonicalText } from '../../../domain/document.ts';
import type { RunDocument } from '../../plan-rows.ts';
import type { StoredExtraction } from '../../rows.ts';
import { type ContentColumns, contentOf, type Structure } from '../../stored-text.ts';
import type { Sql } from '../sql.ts';

type TextColumns = { readonly textSha256: string; readonly text: Buffer; readonly structure: Structure };

function textOf({ textSha256, text, structure }: TextColumns): CanonicalText {
  return { ...structure, text: text.toString(), textSha256 };
}

const SELECT_TEXT = `
SELECT d.text_sha256, t.text, s.structure FROM documents d
JOIN texts t ON t.text_sha256 = d.text_sha256 JOIN structures s ON s.structure_sha256 = d.structure_sha256
WHERE d.run_id = :runId AND d.document_id = :documentId`;

export async function canonicalText(sql: Sql, runId: string, documentId: string): Promise<CanonicalText | null> {
  const row = await sql.one<TextColumns>(SELECT_TEXT, { runId, documentId });
  return row === undefined ? null : textOf(row);
}

const SELECT_EXTRACTION = `
SELECT e.text_sha256, t.text, s.structure, e.tokens, e.max_tokens, e.stretches
FROM extractions e JOIN texts t ON t.text_sha256 = e.text_sha256 JOIN structures s ON s.structure_sha256 = e.structure_sha256
WHERE e.extraction_key = :key`;

type ExtractionColumns = TextColumns & {
  readonly tokens: number;
  readonly maxTokens: number;
  readonly stretches: readonly number[] | null;
};

export async function extraction(sql: Sql, key: string): Promise<StoredExtraction | null> {
  const row = await sql.one<ExtractionColumns>(SELECT_EXTRACTION, { key });
  if (row === undefined) return null;
  const { tokens, maxTokens, stretches } = row;
  return { content: textOf(row), tokens, maxTokens, ...(stretches === null ? {} : { stretches }) };
}

type DocumentColumns = Omit<RunDocument, 'content'> & ContentColumns;

const SELECT_DOCUMENTS = `
SELECT document_id, path, bytes_sha256, tags, size_bytes, text_sha256, error_reason AS reason, error_message AS message
FROM documents WHERE run_id = :runId ORDER BY position`;

/** In the order in which they were added, without their texts. */
export async function documents(sql: Sql, runId: string): Promise<readonly RunDocument[]> {
  const rows = await sql.all<DocumentColumns>(SELECT_DOCUMENTS, { runId });
  return rows.map(({ textSha256, reason, message, ...document }) => ({
    ...document,
    content: contentOf({ textSha256, reason, message }),
  }));
}

const SELECT_RESPONSE = `SELECT completion FROM responses WHERE call_token = :callToken`;

export async function response(sql: Sql, callToken: string): Promise<Completion | null> {
  return (await sql.one<{ completion: Completion }>(SELECT_RESPONSE, { callToken }))?.completion ?? null;
}

const YOUNG_ENOUGH = `
(:freshAfterMs::bigint IS NULL OR c.stored_at_ms > :freshAfterMs) AND (:ttlMs::bigint IS NULL OR c.stored_at_ms + :ttlMs > :nowMs::bigint)`;

const SELECT_CACHED = `SELECT c.key FROM cache c WHERE c.key = ANY(:keys::text[]) AND ${YOUNG_ENOUGH}`;

export type CacheQuery = { readonly keys: readonly string[]; readonly freshAfterMs: number | null; readonly ttlMs: number | null };

/** Those of the keys that have an answer young enough. */
export async function cachedKeys(sql: Sql, nowMs: number, query: CacheQuery): Promise<ReadonlySet<string>> {
  const rows = await sql.all<{ key: string }>(SELECT_CACHED, { ...query, nowMs });
  return new Set(rows.map(({ key }) => key));
}

const SELECT_CACHED_ANSWERS = `
SELECT c.key, r.answer FROM cache c JOIN responses r ON r.call_token = c.call_token
WHERE c.key = ANY(:keys::text[]) AND ${YOUNG_ENOUGH}`;

/** The answers to those of the keys that have one young enough. */
export async function cachedAnswers(sql: Sql, nowMs: number, query: CacheQuery): Promise<ReadonlyMap<string, Json>> {
  const rows = await sql.all<{ key: string; answer: Json }>(SELECT_CACHED_ANSWERS, { ...query, nowMs });
  return new Map(rows.map(({ key, answer }) => [key, answer]));
}

const SELECT_BAD = `SELECT b.key FROM known_bad b WHERE b.key = ANY(:keys::text[])`;

/** Those of the keys whose answer is known to be bad. */
export async function knownBadKeys(sql: Sql, keys: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set((await sql.all<{ key: string }>(SELECT_BAD, { keys })).map(({ key }) => key));
}
