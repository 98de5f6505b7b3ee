import { canonicalJson, sha256Hex } from '../domain/canonical-json.ts';
import type { ResolvedManifest } from '../domain/manifest/resolved.ts';

/**
 * The share of the documents that `sample` asks for, in their order; at least one. Chosen by a hash of seed and name alone, so the
 * same on every machine, and a larger share holds all of a smaller one.
 */
export function sampled<Document extends { readonly documentId: string }>(
  documents: readonly Document[],
  sample: ResolvedManifest['sample'],
): readonly Document[] {
  if (sample === null || documents.length === 0) return documents;
  const count = Math.max(1, Math.round(sample.fraction * documents.length));
  const ranked = documents.map(({ documentId }) => ({ documentId, rank: sha256Hex(canonicalJson([sample.seed, documentId])) }));
  ranked.sort((one, other) => (one.rank < other.rank ? -1 : 1));
  const chosen = new Set(ranked.slice(0, count).map(({ documentId }) => documentId));
  return documents.filter(({ documentId }) => chosen.has(documentId));
}
