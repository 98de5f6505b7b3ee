import { sha256Hex } from '../../../domain/canonical-json.ts';
import type { CanonicalText } from '../../../domain/document.ts';
import type { RunDocument } from '../../plan-rows.ts';
import type { Tx } from '../transactor.ts';

type Content = Extract<RunDocument['content'], { ok: true }>;
type Extraction = NonNullable<Content['extraction']>;

/** A document's text as it is stored: apart from its structure, each once per hash; a PDF and a Markdown file may hold the same text. */
type Stored = { readonly text: string; readonly textSha256: string; readonly structure: string; readonly structureSha256: string };

// Each in the order of its hashes: two runs of the same documents must not wait for each other in a circle.
const INSERT_TEXTS = `
INSERT INTO texts (text_sha256, text) SELECT t.hash, t.text FROM unnest(:hashes::text[], :texts::bytea[]) AS t (hash, text)
ORDER BY t.hash ON CONFLICT DO NOTHING`;

const INSERT_STRUCTURES = `
INSERT INTO structures (structure_sha256, structure)
SELECT s.hash, s.structure FROM unnest(:hashes::text[], :structures::json[]) AS s (hash, structure)
ORDER BY s.hash ON CONFLICT DO NOTHING`;

/** Stores the texts of documents, and what their bytes gave. The hash of each document's structure; `null` where only the text's hash is known. */
export async function addContents(tx: Tx, contents: readonly Content[]): Promise<readonly (string | null)[]> {
  const stored = contents.map(({ text }) => (text === undefined ? null : storedOf(text)));
  const known = stored.filter((each) => each !== null);
  const texts = [...new Map(known.map((each) => [each.textSha256, Buffer.from(each.text)]))];
  const structures = [...new Map(known.map((each) => [each.structureSha256, each.structure]))];
  tx.sql.send(INSERT_TEXTS, { hashes: texts.map(([hash]) => hash), texts: texts.map(([, text]) => text) });
  tx.sql.send(INSERT_STRUCTURES, { hashes: structures.map(([hash]) => hash), structures: structures.map(([, text]) => text) });
  addExtractions(tx, contents, stored);
  return stored.map((each) => each?.structureSha256 ?? null);
}

function storedOf({ text, textSha256, ...rest }: CanonicalText): Stored {
  const structure = JSON.stringify(rest);
  return { text, textSha256, structure, structureSha256: sha256Hex(structure) };
}

const INSERT_EXTRACTIONS = `
INSERT INTO extractions AS e (extraction_key, text_sha256, structure_sha256, tokens, max_tokens, stretches)
SELECT n.key, n.text_sha256, n.structure_sha256, n.tokens, n.max_tokens, n.stretches
FROM unnest(:keys::text[], :textHashes::text[], :structureHashes::text[], :tokens::bigint[], :maxTokens::bigint[], :stretches::json[])
  AS n (key, text_sha256, structure_sha256, tokens, max_tokens, stretches)
ORDER BY n.key
ON CONFLICT (extraction_key) DO UPDATE SET text_sha256 = excluded.text_sha256, structure_sha256 = excluded.structure_sha256,
  tokens = excluded.tokens, max_tokens = excluded.max_tokens, stretches = excluded.stretches
WHERE (e.text_sha256, e.structure_sha256, e.tokens, e.max_tokens, e.stretches::text)
  IS DISTINCT FROM (excluded.text_sha256, excluded.structure_sha256, excluded.tokens, excluded.max_tokens, excluded.stretches::text)`;

/** What the bytes of these keys gave; of two that differ the newest holds. */
function addExtractions(tx: Tx, contents: readonly Content[], stored: readonly (Stored | null)[]): void {
  const found = new Map<string, Extraction & Stored>();
  for (const [at, { extraction }] of contents.entries()) {
    const content = stored[at] ?? null;
    if (extraction !== undefined && content !== null) found.set(extraction.key, { ...content, ...extraction });
  }
  const rows = [...found.values()];
  if (rows.length === 0) return;
  tx.sql.send(INSERT_EXTRACTIONS, {
    keys: rows.map(({ key }) => key),
    textHashes: rows.map(({ textSha256 }) => textSha256),
    structureHashes: rows.map(({ structureSha256 }) => structureSha256),
    tokens: rows.map(({ tokens }) => tokens),
    maxTokens: rows.map(({ maxTokens }) => maxTokens),
    stretches: rows.map(({ stretches }) => (stretches === undefined ? null : JSON.stringify(stretches))),
  });
}
