import { posix } from 'node:path';
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

/** The entry of a file in `folder` (relative, with `/`; empty for none) as the manifest itself would have to write it. */
export function rebasedDocument(entry: DocumentEntry, folder: string): DocumentEntry {
  if (folder === '') return entry;
  const glob = (pattern: string): string => (pattern.startsWith('/') ? pattern : rebasedGlob(pattern, folder));
  if (!entry.literal) return { ...entry, include: glob(entry.include), exclude: entry.exclude.map(glob) };
  return { ...entry, include: posix.isAbsolute(entry.include) ? entry.include : posix.join(folder, entry.include) };
}

/** Steps upwards at the head of a glob are taken from the folder; the folder's own name is no glob. */
function rebasedGlob(pattern: string, folder: string): string {
  const [steps = ''] = /^(?:\.{1,2}\/)*/.exec(pattern) ?? [];
  const base = posix.join(folder, steps).replace(/\/$/, '');
  const rest = pattern.slice(steps.length);
  return base === '.' ? rest : `${base.replace(/[()[\]{}*?|\\]|^!/g, '\\$&')}/${rest}`;
}
