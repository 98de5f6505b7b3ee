import { chmodSync, closeSync, fsyncSync, lstatSync, mkdirSync, openSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';

/** Whose files may be trusted in a folder that others can reach; `null` where the system knows no users. */
export type UserId = number | null;

const OTHERS_MAY_WRITE = 0o022;

/**
 * Creates a folder of this user alone, or makes sure that it is one. Throws where it cannot be, or is a link or another user's:
 * whoever prepares such a folder in a shared place could read the answers, or have them written somewhere else.
 */
export function ensurePrivateFolder(folder: string, userId: UserId): void {
  const created = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!isOwnFolder(lstatSync(folder), userId)) throw new FolderRefused(folder);
  chmodSync(folder, 0o700);
  syncFolder(folder);
  if (created !== undefined) syncFolder(dirname(created));
}

/** Whether what is read there was written by this user: a folder of its own that nobody else may write. */
export function isPrivateFolder(folder: string, userId: UserId): boolean {
  const stats = statsOf(folder);
  return stats !== null && isOwnFolder(stats, userId) && (userId === null || (stats.mode & OTHERS_MAY_WRITE) === 0);
}

/** `null` where it cannot be: a part of its path is missing, is no folder, or may not be entered. */
function statsOf(folder: string): Stats | null {
  try {
    return lstatSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

/** Makes the names in a folder durable: a file whose name is lost is lost. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** `lstat` sees a link as what it is: no folder. */
function isOwnFolder(stats: Stats, userId: UserId): boolean {
  return stats.isDirectory() && (userId === null || stats.uid === userId);
}

class FolderRefused extends Error {
  readonly code = 'not a folder of this user';

  constructor(folder: string) {
    super(`${folder} is not a folder of this user`);
  }
}
