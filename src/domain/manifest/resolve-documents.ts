import type { Json } from '../canonical-json.ts';
import { itemsAt } from './raw.ts';
import type { DocumentEntry } from './resolved.ts';
import { type DocumentInput, documentSchema } from './schema-documents.ts';

/** An entry of `documents` with its defaults filled in. */
export function resolveDocument(entry: DocumentInput): DocumentEntry {
  const unstated = { exclude: [], id: null, tags: [], passwordEnv: null, format: null, charset: null, optional: false };
  if (typeof entry === 'string') return { ...unstated, include: entry, literal: false };
  const { path, include = '', exclude, id = null, tags, passwordEnv = null, format = null, charset = null, optional } = entry;
  return { include: path ?? include, literal: path !== undefined, exclude, id, tags, passwordEnv, format, charset, optional };
}

/** The sound entries of a manifest's `documents` with their places in the list, whatever is wrong with the rest of it. */
export function soundDocuments(manifest: Json): { readonly index: number; readonly entry: DocumentEntry }[] {
  return itemsAt(manifest, ['documents']).flatMap(([index, value]) => {
    const result = documentSchema.safeParse(value);
    return result.success ? [{ index, entry: resolveDocument(result.data) }] : [];
  });
}
