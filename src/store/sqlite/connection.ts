import BetterSqlite3, { type Database } from 'better-sqlite3';
import { refusal } from './sqlite-errors.ts';

/** Opens a database file; a test may pass a wrapped one. */
export type OpenDatabase = (path: string) => Database;

/** Older versions can corrupt a WAL database that several connections write (the WAL-reset bug, 3.7.0 to 3.51.2). */
const OLDEST_SQLITE: readonly number[] = [3, 51, 3];

/** No busy handler: it would block the event loop. Whoever uses the connection tries again, asynchronously. */
export function openFile(path: string): Database {
  return new BetterSqlite3(path, { timeout: 0 });
}

/** What SQLite reports for the two that are used; it has more. */
const SYNCHRONOUS = { FULL: 2, NORMAL: 1 } as const;

/**
 * Sets a connection up. Every connection of every process does this, because `synchronous` is not stored in the file: left alone
 * it differs between the process that created the database and all later ones. `FULL` keeps a paid answer through a power cut;
 * the heartbeat may lose its last beat and takes `NORMAL`. On macOS only `fullfsync` makes the disk itself write; elsewhere it does
 * nothing. Each is read back, because SQLite ignores what it does not know. Throws `UserError` (exit 8) when one does not hold.
 */
export function configure(db: Database, path: string, synchronous: 'FULL' | 'NORMAL'): void {
  refuseOldSqlite(db);
  const mode: unknown = db.pragma('journal_mode = WAL', { simple: true });
  if (mode !== 'wal')
    throw refusal(`${path} cannot use SQLite's write-ahead log (got ${String(mode)}).`, ['put the database on a local disk: --db PATH']);
  setDurably(db, path, 'synchronous', SYNCHRONOUS[synchronous]);
  setDurably(db, path, 'fullfsync', 1);
  setDurably(db, path, 'checkpoint_fullfsync', 1);
  db.pragma('foreign_keys = ON');
  db.pragma('trusted_schema = OFF');
  db.pragma('wal_autocheckpoint = 1000');
  db.pragma('journal_size_limit = 67108864');
}

function setDurably(db: Database, path: string, name: 'synchronous' | 'fullfsync' | 'checkpoint_fullfsync', value: number): void {
  db.pragma(`${name} = ${value}`);
  const got: unknown = db.pragma(name, { simple: true });
  if (got === value) return;
  throw refusal(`${path} would not keep answers through a power cut: SQLite's ${name} is ${String(got)} instead of ${value}.`, [
    'npm rebuild better-sqlite3',
  ]);
}

/** Throws `UserError` (E22, exit 8) when this SQLite must not write a database that others write too. */
export function refuseOldSqlite(db: Database): void {
  const version = db.prepare<[], { version: string }>('SELECT sqlite_version() AS version').get()?.version ?? '0';
  if (isOlder(version.split('.').map(Number), OLDEST_SQLITE)) {
    throw refusal(`SQLite ${version} can corrupt the database; ${OLDEST_SQLITE.join('.')} or newer is needed.`, [
      'npm rebuild better-sqlite3',
    ]);
  }
}

function isOlder(version: readonly number[], limit: readonly number[]): boolean {
  for (const [index, part] of limit.entries()) {
    const own = version[index] ?? 0;
    if (own !== part) return own < part;
  }
  return false;
}
