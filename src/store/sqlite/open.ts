import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { unfinishedCopy } from '../copy/refusals.ts';
import { LeaseWatch } from '../lease-watch.ts';
import type { Store } from '../store.ts';
import { configure, type OpenDatabase, openFile } from './connection.ts';
import { refuseUnsafeFileSystem } from './file-system-here.ts';
import type { SqliteOptions } from './options.ts';
import { migrate } from './schema/migrations.ts';
import { spoolPlaces } from './spool-places.ts';
import { isBusy, refusal, storageError } from './sqlite-errors.ts';
import { SqliteStore } from './sqlite-store.ts';
import { Transactor } from './transactor.ts';
import { Upkeep } from './upkeep/upkeep.ts';

const BUSY_PATIENCE_MS = 30_000;
const LONGEST_BUSY_PAUSE_MS = 200;

/**
 * Opens or creates the database and brings it to this version. Throws `UserError` (exit 8) when the file cannot be used: its folder
 * is missing, not writable or on a network, it is no database, another program's, a newer version's, read-only or locked for 30 s.
 */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { path, clock, random, newToken, monotonic, hostId } = options;
  refuseMissingFolder(path);
  refuseUnsafeFileSystem(path, options.fileSystem);
  const db = openOrRefuse(options.openDatabase ?? openFile, path);
  let storeId: string;
  try {
    storeId = await prepare(db, path, random);
  } catch (error) {
    db.close();
    throw storageError(error, path);
  }
  const watch = new LeaseWatch(monotonic);
  const { onLockRetry } = options;
  const context = { clock, random, newToken, watch, ...(onLockRetry === undefined ? {} : { onLockRetry }) };
  const transactor = new Transactor(db, path, context);
  const upkeep = new Upkeep({ transactor, path, openDatabase: options.openDatabase ?? openFile, context });
  const { heartbeatThread: thread, onHeartbeatLost = () => undefined, onForeignHost = () => undefined } = options;
  const { onSpool = () => undefined } = options;
  // Its real path: whatever link a process came by, workers and spools of one database stand in one place, as its log does.
  const places = spoolPlaces({ storeId, database: realpathSync(path) }, options);
  const workers = { path: places.database, hostId, monotonic, watch, thread, onHeartbeatLost, onForeignHost };
  const inspect = async () => (await import('./inspect/inspect.ts')).inspectDatabase(options);
  const store = new SqliteStore(transactor, workers, { places, onSpool }, inspect, upkeep);
  await store.takeInSpools();
  return store;
}

/** Another process may be doing the same at this moment. Returns the store's id. */
async function prepare(db: Database, path: string, random: () => number): Promise<string> {
  const startedAtMs = performance.now();
  for (;;) {
    try {
      configure(db, path, 'FULL');
      migrate(db, path);
      refuseUnfinishedCopy(db, path);
      return storeIdOf(db);
    } catch (error) {
      if (!isBusy(error) || performance.now() - startedAtMs > BUSY_PATIENCE_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, LONGEST_BUSY_PAUSE_MS * (0.1 + 0.9 * random())));
    }
  }
}

function storeIdOf(db: Database): string {
  const row = db.prepare<[], { storeId: string }>('SELECT store_id AS storeId FROM store').get();
  if (row === undefined) throw new Error('The store has no id');
  return row.storeId;
}

/** Runs of it may be there in part. */
function refuseUnfinishedCopy(db: Database, path: string): void {
  const row = db.prepare<[], { source: string }>('SELECT source FROM unfinished_copy').get();
  if (row !== undefined) throw unfinishedCopy(row.source, path);
}

function openOrRefuse(openDatabase: OpenDatabase, path: string): Database {
  try {
    return openDatabase(path);
  } catch (error) {
    throw storageError(error, path);
  }
}

/** The database's own files are never looked at: reading them beside SQLite would drop its locks. */
export function refuseMissingFolder(path: string): void {
  const folder = dirname(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw refusal(`cannot open ${path}: the folder ${folder} does not exist.`, [`mkdir -p ${folder}`]);
}
