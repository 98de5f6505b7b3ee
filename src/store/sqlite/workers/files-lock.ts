import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import type { FilesLock } from '../../store.ts';
import { isBusy } from '../sqlite-errors.ts';
import { lockRefusal } from './lock-refusal.ts';

/**
 * The lock of a run's files, or `null` while another holds it. Its file stays as long as the run: removed, it could be locked twice,
 * once under its old and once under its new inode. When the run is gone, nobody has anything left to write.
 */
export function lockFiles(folder: string, runId: string): FilesLock | null {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${runId}.files`);
  const db = new BetterSqlite3(file, { timeout: 0 });
  try {
    db.exec('BEGIN EXCLUSIVE');
    return { release: async () => void db.close(), discard: async () => discardLock(db, file) };
  } catch (error) {
    db.close();
    if (isBusy(error)) return null;
    throw lockRefusal(error, folder);
  }
}

/** While it is held, so that the file is this lock's and no later one's. One that may not be removed is an empty file, and stays. */
function discardLock(db: Database, file: string): void {
  try {
    rmSync(file, { force: true });
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
  } finally {
    db.close();
  }
}
