import { relative, resolve, sep } from 'node:path';
import type { DocumentEntry } from '../../domain/manifest/resolved.ts';
import { duplicateIds } from './duplicate-ids.ts';
import type { FileProblem } from './file-problem.ts';
import { type GlobResult, globFiles } from './glob-files.ts';
import { listedPaths } from './listed-paths.ts';
import { lookAt } from './look-at.ts';
import { nearFiles } from './near-files.ts';

/** A file that an entry of `documents` names. */
export type FoundFile = {
  /** The entry's `id`, or the path relative to the manifest's folder, with `/` between its parts. */
  readonly documentId: string;
  /** Absolute. */
  readonly path: string;
  /** Those of every entry that names it, each once. */
  readonly tags: readonly string[];
  readonly entry: DocumentEntry;
};

export type FoundFiles = { readonly files: readonly FoundFile[]; readonly problems: readonly FileProblem[] };

/**
 * Files of the manifest's `documents`, relative to its folder `baseDir`; sorted by `documentId`, each file once. Where several
 * entries name one file, a path goes before a glob, and among equals the later entry counts; it has the tags of all of them. Problems: an entry that matches nothing
 * (unless `optional`), whatever an entry matches that cannot be read as a file, a folder whose matches cannot be known, and an id
 * that stands for several files. Pipes and devices are no matches of a glob.
 */
export async function findFiles(baseDir: string, entries: readonly DocumentEntry[]): Promise<FoundFiles> {
  const problems: FileProblem[] = [];
  const byRealPath = new Map<string, Candidate>();
  for (const [index, entry] of entries.entries()) {
    const match = entry.literal ? await literalFile(baseDir, entry) : await globbedFiles(baseDir, entry);
    problems.push(...match.faults.map((fault) => ({ index, ...fault })));
    for (const { path, realPath } of match.files) {
      const found = { documentId: entry.id ?? idOf(baseDir, path), path, tags: entry.tags, entry, index, isLink: path !== realPath };
      const known = byRealPath.get(realPath);
      const counting = known === undefined || replaces(found, known) ? found : known;
      byRealPath.set(realPath, { ...counting, tags: [...new Set([...(known?.tags ?? []), ...found.tags])] });
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

type Fault = Omit<FileProblem, 'index'>;
type Match = { readonly files: readonly { readonly path: string; readonly realPath: string }[]; readonly faults: readonly Fault[] };

async function literalFile(baseDir: string, { include, optional }: DocumentEntry): Promise<Match> {
  const path = resolve(baseDir, include);
  const sight = await lookAt(path);
  const fault = (what: string, hint = PUT_RIGHT): Match => ({ files: [], faults: [{ what: `${JSON.stringify(include)} ${what}`, hint }] });
  if (sight.kind === 'file') return { files: [{ path, realPath: sight.realPath }], faults: [] };
  if (sight.kind === 'fault') return fault(sight.fault);
  if (sight.kind === 'special') return fault('is a pipe or a device, not a file');
  if (sight.kind === 'folder') {
    return fault(`is a folder (base ${baseDir}); name files, for example "${include.replace(/\/+$/, '')}/**/*.md"`);
  }
  return optional ? { files: [], faults: [] } : fault(`does not exist (base ${baseDir}; ${await nearFiles(baseDir)})`, CORRECT);
}

const CORRECT = 'correct "documents" in the manifest, or mark the entry "optional": true';
const PUT_RIGHT = 'put it right, or correct "documents" in the manifest';
const LEAVE_OUT = 'put it right, or leave it out with "exclude" beside "include"';

async function globbedFiles(baseDir: string, entry: DocumentEntry): Promise<Match> {
  const globbed = await globFiles(baseDir, entry);
  const named = JSON.stringify(entry.include);
  const { files, faults } = await sortedOut(named, globbed);
  if (files.length > 0 || faults.length > 0 || entry.optional) return { files, faults };
  const but = globbed.runFolders.length > 0 ? ` but what runs wrote, which is left out: ${listedPaths(globbed.runFolders)}` : '';
  return { files, faults: [{ what: `${named} matches no file${but} (base ${baseDir}; ${await nearFiles(baseDir)})`, hint: CORRECT }] };
}

/** The files among the matches, and one fault for each kind of what is wrong with others. */
async function sortedOut(named: string, { paths, closedFolders }: GlobResult): Promise<Match> {
  const files: { path: string; realPath: string }[] = [];
  const wrong = new Map<string, string[]>();
  const report = (what: string, path: string) => wrong.set(what, [...(wrong.get(what) ?? []), path]);
  for (const { path, code } of closedFolders) {
    report(
      code === 'ENOENT' ? 'may match in a folder whose name is not UTF-8' : `may match in a folder that cannot be listed (${code})`,
      path,
    );
  }
  for (const path of paths) {
    const sight = await lookAt(path);
    if (sight.kind === 'file') files.push({ path, realPath: sight.realPath });
    else if (sight.kind === 'fault') report(`matches what ${sight.fault}`, path);
    else if (sight.kind === 'nothing') report('matches what is gone again', path);
  }
  const faults = [...wrong].map(([what, at]) => ({ what: `${named} ${what}: ${listedPaths(at)}`, hint: LEAVE_OUT }));
  return { files, faults };
}

function idOf(baseDir: string, path: string): string {
  return relative(baseDir, path).split(sep).join('/');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
