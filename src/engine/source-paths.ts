import { existsSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import type { ResolvedManifest } from '../domain/manifest/resolved.ts';

/** What must be known of a run to find its documents' files. */
export type SourceRun = { readonly manifestPath: string; readonly manifest: Pick<ResolvedManifest, 'documents'> };

/**
 * Where the file of a document is, relative to the repository that the manifest is in: code scanning looks from there. Without a
 * repository, relative to the manifest's folder.
 */
export function sourcePaths(
  { manifestPath, manifest }: SourceRun,
  exists: (path: string) => boolean = existsSync,
): (documentId: string) => string {
  const folder = dirname(manifestPath);
  const base = relative(repositoryOf(folder, exists) ?? folder, folder)
    .split(sep)
    .join('/');
  // A document is named after its path, unless its entry gives it a name.
  const named = new Map(manifest.documents.flatMap(({ id, include }) => (id === null ? [] : [[id, include] as const])));
  return (documentId) => posix.join(base, named.get(documentId) ?? documentId);
}

function repositoryOf(folder: string, exists: (path: string) => boolean): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (exists(join(at, '.git'))) return at;
    if (dirname(at) === at) return null;
  }
}
