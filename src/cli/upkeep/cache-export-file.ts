import { randomUUID } from 'node:crypto';
import { type FileHandle, lstat, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import { makeFolders } from '../../artifacts/make-folders.ts';
import { UserError } from '../../domain/errors.ts';
import { EXIT } from '../exit-codes.ts';
import { shellWord } from '../terminal/shell-word.ts';

const BATCH_CHARACTERS = 64 * 1024;

/** What a person is told when the file cannot be written. */
type WriteAdvice = { readonly safe: string /** The same without a file of that name. */; readonly otherwise: string };

const CACHE: WriteAdvice = { safe: 'The cache itself is as it was.', otherwise: 'aieval cache export > cache.jsonl' };

/**
 * Writes what a person asked for, to where they said: a file durably, whole or not at all; into a pipe or a device as it comes. Links
 * are followed, and stay. Throws a `UserError` (exit 8) for whatever the system refuses.
 */
export async function writeExportFile(path: string, parts: AsyncIterable<string>, advice = CACHE): Promise<void> {
  try {
    const file = await destination(path);
    if (file === null) await stream(path, parts);
    else await replace(file, parts);
  } catch (error) {
    throw exportError(error, path, advice);
  }
}

/** Names of what this process, or its shell, has open already; renaming a file over one would leave them with the old one. */
const OPEN_FILE = /^\/dev\/(?:fd\/\d+|stdout|stderr)$|^\/proc\/[^/]+\/fd\/\d+$/;

type Destination = { readonly path: string /** `null`: it is new. */; readonly mode: number | null };

/** `null`: what is there is no file that could be replaced. */
async function destination(path: string): Promise<Destination | null> {
  if (OPEN_FILE.test(path)) return null;
  const stats = await stat(path).catch(absent);
  if (stats === undefined) return { path: await behindLinks(path), mode: null };
  if (stats.isDirectory()) throw Object.assign(new Error('a folder is there'), { code: 'EISDIR' });
  return stats.isFile() ? { path: await realpath(path), mode: stats.mode } : null;
}

/** Where a link to nothing leads. The system has followed it before, so that it ends. */
async function behindLinks(path: string): Promise<string> {
  const stats = await lstat(path).catch(absent);
  return stats?.isSymbolicLink() === true ? behindLinks(resolve(dirname(path), await readlink(path))) : path;
}

function absent(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') return undefined;
  throw error;
}

/** Under a name of its own first: a reader sees the old or the new one, and a full disk costs nobody the old one. */
async function replace({ path, mode }: Destination, parts: AsyncIterable<string>): Promise<void> {
  // Short, because the name of the file may be as long as names can be.
  const temporary = join(dirname(path), `.aieval-${randomUUID()}.tmp`);
  makeFolders(dirname(path));
  try {
    const file = await open(temporary, 'wx');
    try {
      if (mode !== null) await file.chmod(mode & 0o7777);
      await writeAll(file, parts);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}

/** A file whose name is lost is lost. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } catch (error) {
    // Some file systems have nothing to sync there.
    if (codeOf(error) !== 'EINVAL') throw error;
  } finally {
    await folder.close();
  }
}

/** Appends, so that of a log that somebody has open nothing is lost. */
async function stream(path: string, parts: AsyncIterable<string>): Promise<void> {
  const file = await open(path, 'a');
  try {
    await writeAll(file, parts);
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, parts: AsyncIterable<string>): Promise<void> {
  let batch = '';
  for await (const part of parts) {
    batch += part;
    if (batch.length < BATCH_CHARACTERS) continue;
    await file.writeFile(batch);
    batch = '';
  }
  await file.writeFile(batch);
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO']);

/** Any error of the system as one for the person who named the file; others as they are. */
function exportError(error: unknown, path: string, { safe, otherwise }: WriteAdvice): unknown {
  const code = codeOf(error);
  if (error instanceof UserError || !/^E[A-Z0-9]+$/.test(code)) return error;
  const problem = [...getSystemErrorMap().values()].find(([name]) => name === code)?.[1] ?? code;
  const isFull = FULL.has(code);
  return new UserError({
    code: isFull ? 'E24' : 'E22',
    exitCode: EXIT.storage,
    message: `cannot write ${path}: ${problem} (${code}). ${safe}`,
    next: isFull ? ['free space, then the same command again'] : [`ls -ld ${shellWord(dirname(path))}`, otherwise],
    cause: error,
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
