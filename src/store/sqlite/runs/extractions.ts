import { sha256Hex } from '../../../domain/canonical-json.ts';
import type { CanonicalText } from '../../../domain/document.ts';
import type { RunDocument } from '../../plan-rows.ts';
import type { StoredExtraction } from '../../rows.ts';
import type { Structure } from '../../stored-text.ts';
import { fromJson, type Sql } from '../sql.ts';
import type { Tx } from '../transactor.ts';

const INSERT_TEXT = `INSERT INTO texts (text_sha256, text) VALUES (:textSha256, :text) ON CONFLICT DO NOTHING`;

const INSERT_STRUCTURE = `INSERT INTO structures (structure_sha256, structure) VALUES (:structureSha256, :structure) ON CONFLICT DO NOTHING`;

/**
 * Text and structure, each once per hash, apart: a PDF and a Markdown file may hold the same text and have other pages and lines.
 * Returns the structure's hash.
 */
export function addText(tx: Tx, { text, textSha256, ...rest }: CanonicalText): string {
  const structure = JSON.stringify(rest);
  const structureSha256 = sha256Hex(structure);
  tx.sql.run(INSERT_TEXT, { textSha256, text });
  tx.sql.run(INSERT_STRUCTURE, { structureSha256, structure });
  return structureSha256;
}

/** A text as it is stored: `structure` is the rest of it, as JSON. */
export type TextRow = { readonly textSha256: string; readonly text: string; readonly structure: string };

export function textOf({ textSha256, text, structure }: TextRow): CanonicalText {
  return { ...fromJson<Structure>(structure), text, textSha256 };
}

type Extraction = NonNullable<Extract<RunDocument['content'], { ok: true }>['extraction']>;

const INSERT_EXTRACTION = `
INSERT INTO extractions (extraction_key, text_sha256, structure_sha256, tokens, max_tokens, stretches)
VALUES (:key, :textSha256, :structureSha256, :tokens, :maxTokens, :stretches)
ON CONFLICT (extraction_key) DO UPDATE SET text_sha256 = excluded.text_sha256, structure_sha256 = excluded.structure_sha256,
  tokens = excluded.tokens, max_tokens = excluded.max_tokens, stretches = excluded.stretches
WHERE (text_sha256, structure_sha256, tokens, max_tokens, stretches)
  IS NOT (excluded.text_sha256, excluded.structure_sha256, excluded.tokens, excluded.max_tokens, excluded.stretches)`;

/** What the bytes of this key gave; of two that differ the newest holds. */
export function addExtraction(tx: Tx, extraction: Extraction, content: { textSha256: string; structureSha256: string }): void {
  const { key, tokens, maxTokens } = extraction;
  const stretches = extraction.stretches === undefined ? null : JSON.stringify(extraction.stretches);
  tx.sql.run(INSERT_EXTRACTION, { key, tokens, maxTokens, stretches, ...content });
}

const SELECT_EXTRACTION = `
SELECT e.text_sha256 AS textSha256, t.text, s.structure, e.tokens, e.max_tokens AS maxTokens, e.stretches
FROM extractions e JOIN texts t ON t.text_sha256 = e.text_sha256 JOIN structures s ON s.structure_sha256 = e.structure_sha256
WHERE e.extraction_key = :key`;

export function extraction(sql: Sql, key: string): StoredExtraction | null {
  const row = sql.one<TextRow & { tokens: number; maxTokens: number; stretches: string | null }>(SELECT_EXTRACTION, { key });
  if (row === undefined) return null;
  const { tokens, maxTokens, stretches } = row;
  return { content: textOf(row), tokens, maxTokens, ...(stretches === null ? {} : { stretches: fromJson<number[]>(stretches) }) };
}
