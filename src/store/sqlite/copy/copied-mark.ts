import { existsSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { SCHEMA_VERSION } from '../schema/migrations.ts';
import { isStorageFailure } from '../sqlite-errors.ts';

/** Where all of a database was copied to, without a password, and when. */
export type CopiedMark = { readonly to: string; readonly atMs: number };

const BUSY_MS = 5000;

/** Lets the database say from now on where it was copied to. False where it cannot be written: the copy is as whole without. */
export function markCopied(path: string, { to, atMs }: CopiedMark): boolean {
  try {
    const db = new BetterSqlite3(path, { fileMustExist: true, timeout: BUSY_MS });
    try {
      db.prepare('UPDATE store SET copied_to = ?, copied_at_ms = ?').run(to, atMs);
      return true;
    } finally {
      db.close();
    }
  } catch (error) {
    if (isStorageFailure(error)) return false;
    throw error;
  }
}

/** `null`: it was not copied, is not there, or is of a version that does not say. */
export function copiedMark(path: string): CopiedMark | null {
  if (!existsSync(path)) return null;
  const db = new BetterSqlite3(path, { readonly: true, timeout: BUSY_MS });
  try {
    if (db.pragma('user_version', { simple: true }) !== SCHEMA_VERSION) return null;
    const mark = db.prepare<[], CopiedMark>('SELECT copied_to AS "to", copied_at_ms AS atMs FROM store WHERE copied_to IS NOT NULL');
    return mark.get() ?? null;
  } finally {
    db.close();
  }
}
