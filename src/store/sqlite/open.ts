import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { Store } from '../store.ts';
import { configure, type OpenDatabase, openFile } from './connection.ts';
import { migrate } from './migrations.ts';
import { isBusy, refusal, storageError } from './sqlite-errors.ts';
import { SqliteStore } from './sqlite-store.ts';
import { Transactor } from './transactor.ts';

export type SqliteOptions = {
  /** Path of the database file; its folder must exist. */
  readonly path: string;
  /** Milliseconds since 1970; read inside transactions. */
  readonly clock: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** A value never given before, in any process. */
  readonly newToken: () => string;
  /** Compiled `heartbeat-thread` file; `null` renews no leases. */
  readonly heartbeatThread: URL | null;
  /** The thread that renews leases died: the worker must stop. Claims are refused from then on, with or without this. */
  readonly onHeartbeatLost?: (error: Error) => void;
  /** Opens the file; replaced by tests that break it. */
  readonly openDatabase?: OpenDatabase;
};

const BUSY_PATIENCE_MS = 30_000;
const LONGEST_BUSY_PAUSE_MS = 200;

/**
 * Opens or creates the database and brings it to this version. Throws `UserError` (exit 8) when the file cannot be used: its folder
 * is missing or not writable, it is no database, another program's, a newer version's, read-only or locked for 30 s.
 */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { path, clock, random, newToken } = options;
  refuseMissingFolder(path);
  const db = openOrRefuse(options.openDatabase ?? openFile, path);
  try {
    await prepare(db, path, random);
  } catch (error) {
    db.close();
    throw storageError(error, path);
  }
  const transactor = new Transactor(db, path, { clock, random, newToken });
  const onLost = options.onHeartbeatLost ?? (() => undefined);
  return new SqliteStore(transactor, { path, thread: options.heartbeatThread, onLost });
}

/** Another process may be doing the same at this moment. */
async function prepare(db: Database, path: string, random: () => number): Promise<void> {
  const startedAtMs = performance.now();
  for (;;) {
    try {
      configure(db, path, 'FULL');
      migrate(db, path);
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() - startedAtMs > BUSY_PATIENCE_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, LONGEST_BUSY_PAUSE_MS * (0.1 + 0.9 * random())));
    }
  }
}

function openOrRefuse(openDatabase: OpenDatabase, path: string): Database {
  try {
    return openDatabase(path);
  } catch (error) {
    throw storageError(error, path);
  }
}

/** The database's own files are never looked at: reading them beside SQLite would drop its locks. */
function refuseMissingFolder(path: string): void {
  const folder = dirname(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw refusal(`cannot open ${path}: the folder ${folder} does not exist.`, [`mkdir -p ${folder}`]);
}
