import { randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { lstat, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../domain/errors.ts';
import { OUTPUT_FILES } from './run-files.ts';
import { errorCode } from './storage-error.ts';

/** What a folder of ours holds; nothing else of it is touched. `null`: a file. */
type Known = { readonly name: RegExp; readonly holds: readonly Known[] | null };

/** A write that a kill cut short; a folder's removal, too. */
const HALF = (name: string): RegExp => new RegExp(`^(?:${name}|\\.(?:${name})\\.[0-9a-f-]{36}\\.tmp)$`);

const CALL: readonly Known[] = [{ name: HALF('request\\.json|response\\.json'), holds: null }];
const JOB: readonly Known[] = [
  { name: HALF('request\\.json|response\\.json|result\\.json|attempts\\.jsonl'), holds: null },
  { name: /^steps$/, holds: [{ name: /^[a-z]+-\d+(?:\.\d+)?$/, holds: CALL }] },
];
const OUTPUTS = Object.values(OUTPUT_FILES).map((name) => name.replace('.', '\\.'));
const RUN: readonly Known[] = [
  { name: HALF(`summary\\.md|results\\.jsonl|manifest\\.resolved\\.json|${OUTPUTS.join('|')}`), holds: null },
  { name: HALF('jobs'), holds: [{ name: /^[a-z2-7]{26}$/, holds: JOB }] },
  { name: HALF('texts'), holds: [{ name: HALF('[0-9a-f]{64}\\.txt'), holds: null }] },
];

/** Bytes of the files that `removeRunFiles` would remove; 0 where there are none, or they cannot be seen. Links are not followed. */
export async function runFilesSize(runDir: string): Promise<number> {
  try {
    return (await kindOf(runDir)) === 'folder' ? await sizeOf(runDir, RUN) : 0;
  } catch (error) {
    // The removal meets it again, and explains it.
    if (errorCode(error) === '') throw error;
    return 0;
  }
}

/**
 * What is left of a run's folder: nothing (`gone`), something that is not ours (`others`), all, because it is a `link`, or the folder
 * itself, which may not be removed (`empty`).
 */
export type Removal = 'gone' | 'others' | 'link' | 'empty';

/**
 * Removes the files of a run, then its folder. A kill at any point leaves what `aieval summary` makes whole again. Throws a
 * `UserError` (exit 8) where it may not.
 */
export async function removeRunFiles(runDir: string): Promise<Removal> {
  try {
    const kind = await kindOf(runDir);
    if (kind !== 'folder') return kind;
    for (const { entry, known } of await knownEntries(runDir, RUN)) {
      if (known.holds === null) await rm(join(runDir, entry.name), { force: true });
      else await removePart(runDir, entry.name, known.holds);
    }
    return await removeOwnFolder(runDir);
  } catch (error) {
    throw removalError(error, runDir);
  }
}

async function kindOf(runDir: string): Promise<'folder' | 'gone' | 'link' | 'others'> {
  const stats = await lstat(runDir).catch(absent);
  if (stats === undefined) return 'gone';
  if (stats.isSymbolicLink()) return 'link';
  return stats.isDirectory() ? 'folder' : 'others';
}

/** Under another name first: half a folder would pass for a whole one. What is not ours gets its own name back. */
async function removePart(runDir: string, name: string, holds: readonly Known[]): Promise<void> {
  const [, whole = name] = /^\.(\w+)\./.exec(name) ?? [];
  const doomed = name === whole ? `.${whole}.${randomUUID()}.tmp` : name;
  if (doomed !== name) await rename(join(runDir, name), join(runDir, doomed));
  if (await removeKnown(join(runDir, doomed), holds)) return;
  if ((await lstat(join(runDir, whole)).catch(absent)) === undefined) await rename(join(runDir, doomed), join(runDir, whole));
}

/** True when nothing is left of the folder. */
async function removeKnown(folder: string, holds: readonly Known[]): Promise<boolean> {
  for (const { entry, known } of await knownEntries(folder, holds)) {
    const path = join(folder, entry.name);
    if (known.holds === null) await rm(path, { force: true });
    else await removeKnown(path, known.holds);
  }
  return await removeEmpty(folder);
}

type KnownEntry = { readonly entry: Dirent; readonly known: Known };

async function knownEntries(folder: string, holds: readonly Known[]): Promise<readonly KnownEntry[]> {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(absent)) ?? [];
  return entries.flatMap((entry) => {
    const known = holds.find(
      ({ name, holds: inside }) => name.test(entry.name) && (inside === null ? entry.isFile() : entry.isDirectory()),
    );
    return known === undefined ? [] : [{ entry, known }];
  });
}

async function sizeOf(folder: string, holds: readonly Known[]): Promise<number> {
  let total = 0;
  for (const { entry, known } of await knownEntries(folder, holds)) {
    const path = join(folder, entry.name);
    total += known.holds === null ? ((await lstat(path).catch(absent))?.size ?? 0) : await sizeOf(path, known.holds);
  }
  return total;
}

async function removeEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return true;
    if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR') return false;
    throw error;
  }
}

/** Its parent may be another's: the folder was made there once, and all that was in it is gone. */
async function removeOwnFolder(runDir: string): Promise<Removal> {
  try {
    return (await removeEmpty(runDir)) ? 'gone' : 'others';
  } catch (error) {
    if (errorCode(error) !== '' && (await readdir(runDir)).length === 0) return 'empty';
    throw error;
  }
}

/** What is gone meanwhile is what was wanted. */
function absent(error: unknown): undefined {
  if (errorCode(error) === 'ENOENT') return undefined;
  throw error;
}

function removalError(error: unknown, runDir: string): unknown {
  const code = errorCode(error);
  if (!/^E[A-Z0-9]+$/.test(code)) return error;
  const message = `cannot remove the files in ${runDir} (${code}).`;
  return new UserError({ code: 'E22', exitCode: 8, message, next: [`ls -ld ${JSON.stringify(runDir)}`], cause: error });
}
