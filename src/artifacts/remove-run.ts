import { randomUUID } from 'node:crypto';
import { lstat, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, storageError } from './storage-error.ts';

/** What stands in a run's folder, and nothing else of it is ours. */
const FILES: readonly string[] = ['summary.md', 'results.jsonl', 'manifest.resolved.json'];
const FOLDERS: readonly string[] = ['jobs', 'texts'];

/** A write, or a removal, that a kill cut short. */
const LEFTOVER = /^\.(?:summary\.md|results\.jsonl|manifest\.resolved\.json|jobs|texts)\.[0-9a-f-]{36}\.tmp$/;

/** Bytes of the files that `removeRunFiles` would remove; 0 where there are none, or they cannot be seen. Links are not followed. */
export async function runFilesSize(runDir: string): Promise<number> {
  try {
    let total = 0;
    for (const { path } of await ownEntries(runDir)) total += await sizeOf(path);
    return total;
  } catch (error) {
    // The removal meets it again, and explains it.
    if (errorCode(error) === '') throw error;
    return 0;
  }
}

/**
 * Removes the files of a run, then its folder. False: something stays in it that is not ours, or the folder itself is a link. A kill
 * at any point leaves what `aieval summary` makes whole again. Throws a `UserError` (exit 8) where it may not.
 */
export async function removeRunFiles(runDir: string): Promise<boolean> {
  try {
    for (const { path, name, isFolder } of await ownEntries(runDir)) {
      if (isFolder) await removeFolder(runDir, name);
      else await rm(path, { force: true });
    }
    return await removeEmpty(runDir);
  } catch (error) {
    throw storageError(error, runDir);
  }
}

type OwnEntry = { readonly path: string; readonly name: string; readonly isFolder: boolean };

async function ownEntries(runDir: string): Promise<readonly OwnEntry[]> {
  if (!(await isRealFolder(runDir))) return [];
  const entries = await readdir(runDir, { withFileTypes: true });
  return entries.flatMap((entry) => {
    const { name } = entry;
    const isOwn = LEFTOVER.test(name) || (entry.isDirectory() ? FOLDERS : FILES).includes(name);
    if (!isOwn || !(entry.isDirectory() || entry.isFile())) return [];
    return [{ name, path: join(runDir, name), isFolder: entry.isDirectory() }];
  });
}

async function isRealFolder(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(absent);
  return stats?.isDirectory() === true;
}

/** Under another name first: half a folder would pass for a whole one. */
async function removeFolder(runDir: string, name: string): Promise<void> {
  const doomed = LEFTOVER.test(name) ? name : `.${name}.${randomUUID()}.tmp`;
  if (doomed !== name) await rename(join(runDir, name), join(runDir, doomed));
  await rm(join(runDir, doomed), { recursive: true, force: true });
}

async function removeEmpty(runDir: string): Promise<boolean> {
  try {
    await rmdir(runDir);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return true;
    if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR') return false;
    throw error;
  }
}

async function sizeOf(path: string): Promise<number> {
  const stats = await lstat(path).catch(absent);
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.size;
  let total = 0;
  for (const name of (await readdir(path).catch(absent)) ?? []) total += await sizeOf(join(path, name));
  return total;
}

/** What is gone meanwhile is what was wanted. */
function absent(error: unknown): undefined {
  if (errorCode(error) === 'ENOENT') return undefined;
  throw error;
}
