import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolders } from './make-folders.ts';
import { errorCode, storageError } from './storage-error.ts';

const BATCH_CHARACTERS = 64 * 1024;

/**
 * Writes a whole file under a temporary name beside it and renames it, so that a reader sees the old or the new one, never half
 * of it. Makes the folders. Not synced to the disk: everything written here can be written again from the store. Throws a
 * `UserError` with exit code 8 when the disk is full or the place cannot be written.
 */
export async function writeFileAtomic(path: string, content: string | AsyncIterable<string>): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    const file = await openNew(temporary);
    try {
      await (typeof content === 'string' ? file.writeFile(content) : writeBatched(file, content));
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await removeQuietly(temporary);
    throw storageError(error, path);
  }
}

/** The folder is there for nearly every file, so it is made only when it is missing. */
async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    makeFolders(dirname(path));
    return open(path, 'wx');
  }
}

async function writeBatched(file: FileHandle, parts: AsyncIterable<string>): Promise<void> {
  let batch = '';
  for await (const part of parts) {
    batch += part;
    if (batch.length < BATCH_CHARACTERS) continue;
    await file.writeFile(batch);
    batch = '';
  }
  await file.writeFile(batch);
}

/** The error that led here is the one to tell; a leftover with a dot and a random name harms nobody. */
async function removeQuietly(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined);
}
