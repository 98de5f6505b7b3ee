import { realpath, stat } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import type { DocumentEntry } from '../domain/manifest/resolved.ts';
import { duplicateIds } from './duplicate-ids.ts';
import { globFiles } from './glob-files.ts';
import { nearFiles } from './near-files.ts';

/** A file that an entry of `documents` names. */
export type FoundFile = {
  /** The entry's `id`, or the path relative to the manifest's folder, with `/` between its parts. */
  readonly documentId: string;
  /** Absolute. */
  readonly path: string;
  readonly tags: readonly string[];
  readonly entry: DocumentEntry;
};

/** What is wrong with an entry; `message` is one line that names the entry and the folder. */
type FileProblem = { readonly index: number; readonly message: string };

export type FoundFiles = { readonly files: readonly FoundFile[]; readonly problems: readonly FileProblem[] };

/**
 * Files of the manifest's `documents`, relative to its folder `baseDir`; sorted by `documentId`, each file once. Where several
 * entries name one file, a path goes before a glob, and among equals the later entry counts. An entry that matches nothing (unless
 * `optional`) and an id that stands for several files are problems.
 */
export async function findFiles(baseDir: string, entries: readonly DocumentEntry[]): Promise<FoundFiles> {
  const problems: FileProblem[] = [];
  const byRealPath = new Map<string, Candidate>();
  for (const [index, entry] of entries.entries()) {
    const match = entry.literal ? await literalFile(baseDir, entry.include) : { paths: await globFiles(baseDir, entry), isFolder: false };
    if (match.paths.length === 0 && !entry.optional) problems.push({ index, message: await noMatch(baseDir, { index, entry, ...match }) });
    for (const path of match.paths) {
      const realPath = await realpath(path);
      const found = { documentId: entry.id ?? idOf(baseDir, path), path, tags: entry.tags, entry, index, isLink: path !== realPath };
      const known = byRealPath.get(realPath);
      if (known === undefined || replaces(found, known)) byRealPath.set(realPath, found);
    }
  }
  const files = [...byRealPath.values()].sort((a, b) => compare(a.documentId, b.documentId) || compare(a.path, b.path));
  return {
    files: files.map(({ documentId, path, tags, entry }) => ({ documentId, path, tags, entry })),
    problems: [...problems, ...duplicateIds(files)],
  };
}

type Candidate = FoundFile & { readonly index: number; readonly isLink: boolean };

function replaces(found: Candidate, known: Candidate): boolean {
  if (found.entry.literal !== known.entry.literal) return found.entry.literal;
  if (found.index !== known.index) return true;
  return known.isLink && !found.isLink;
}

async function literalFile(baseDir: string, include: string): Promise<{ paths: readonly string[]; isFolder: boolean }> {
  const path = resolve(baseDir, include);
  try {
    const found = await stat(path);
    return { paths: found.isFile() ? [path] : [], isFolder: found.isDirectory() };
  } catch (error) {
    if (isMissing(error)) return { paths: [], isFolder: false };
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

async function noMatch(baseDir: string, failed: { index: number; entry: DocumentEntry; isFolder: boolean }): Promise<string> {
  const { include, literal } = failed.entry;
  const what = `documents[${failed.index}] "${include}"`;
  if (failed.isFolder) return `${what} is a folder (base ${baseDir}); name files, for example "${include.replace(/\/+$/, '')}/**/*.md"`;
  return `${what} ${literal ? 'does not exist' : 'matches no file'} (base ${baseDir}; ${await nearFiles(baseDir)})`;
}

function idOf(baseDir: string, path: string): string {
  return relative(baseDir, path).split(sep).join('/');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
