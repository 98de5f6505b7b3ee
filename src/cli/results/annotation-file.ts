import { existsSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import type { RunRow } from '../../store/rows.ts';
import type { CliIo } from '../io.ts';

/** The file of a document as the code host knows it; `null`: it has none there. */
export type FileOf = (documentId: string) => string | null;

/** Of the documents of a run: a document is named after its path from the manifest, unless its entry gives it a name. */
export function filesOfRun(io: CliIo, { manifestPath, manifest }: Pick<RunRow, 'manifestPath' | 'manifest'>): FileOf {
  const named = new Map(manifest.documents.flatMap(({ id, include }) => (id === null ? [] : [[id, include] as const])));
  return (documentId) => inWorkspace(io, resolve(dirname(manifestPath), named.get(documentId) ?? documentId));
}

/** Of documents whose manifest's folder is not known, as in `results.jsonl`: those that are found from here. */
export function filesFromHere(io: CliIo): FileOf {
  return (documentId) => {
    const path = resolve(io.cwd, documentId);
    return existsSync(path) ? inWorkspace(io, path) : null;
  };
}

/** `null` for a file outside of what was checked out. */
function inWorkspace({ env, cwd }: CliIo, path: string): string | null {
  const inside = relative(env.GITHUB_WORKSPACE ?? cwd, path);
  return inside.startsWith('..') || isAbsolute(inside) ? null : inside;
}
