import { existsSync } from 'node:fs';
import { isServer, storePath } from './location.ts';
import type { Inspection } from './maintenance.ts';
import type { StoredName, WantedNames } from './names.ts';
import { IN_SILENCE, type ServerPatience } from './server-news.ts';
import type { InspectOptions } from './sqlite/inspect/inspect.ts';
import type { SqliteOptions } from './sqlite/options.ts';
import type { Store } from './store.ts';

/** `heartbeatThread` is that of the kind of store; `clock` and what concerns files are not for a server's, which has its own clock. */
export type StoreOptions = Omit<SqliteOptions, 'path' | 'openDatabase'> & {
  /** How long the server is waited for, where there is one. */
  readonly patience?: ServerPatience;
};

/**
 * Opens the store that `location` names: the path of a SQLite file, bare or after `sqlite:`, or the URL of a PostgreSQL database. Backends
 * are loaded when they are opened. Throws `UserError` for a kind of store that is not supported.
 */
export async function openStore(location: string, options: StoreOptions): Promise<Store> {
  if (isServer(location)) return openServer(location, options);
  const path = storePath(location);
  const { openSqliteStore } = await import('./sqlite/open.ts');
  return openSqliteStore({ ...options, path });
}

async function openServer(location: string, options: StoreOptions): Promise<Store> {
  const { openPostgresStore } = await import('./postgres/open.ts');
  const { fileSystem: _, hostId: __, onForeignHost: ___, ...own } = options;
  return openPostgresStore({ ...own, location, clock: null });
}

/** Whether the store is there already: to open it would create it. Throws `UserError` where a server cannot be asked. */
export async function storeExists(location: string, patience = IN_SILENCE): Promise<boolean> {
  if (!isServer(location)) return existsSync(location);
  const { postgresStoreExists } = await import('./postgres/open.ts');
  return postgresStoreExists(location, patience);
}

/**
 * The health of the store that `location` names, as `Store.inspect` tells it, also where the store cannot be opened or is not there:
 * nothing is created, and a lock that another process holds is a finding. Throws `UserError` as `openStore` does for other kinds.
 */
export async function inspectStore(
  location: string,
  options: Omit<InspectOptions, 'path'> & Pick<StoreOptions, 'patience'>,
): Promise<readonly Inspection[]> {
  if (isServer(location)) {
    const { inspectPostgres } = await import('./postgres/inspect/inspect.ts');
    return inspectPostgres({ ...options, location, clock: null });
  }
  const path = storePath(location);
  const { inspectDatabase } = await import('./sqlite/inspect/inspect.ts');
  return inspectDatabase({ ...options, path });
}

/**
 * Names in the store at `location` that begin so; runs newest first, all others in plan order. Only reads, and waits for no lock: throws
 * whatever stands in the way, and where there is no store.
 */
export async function readNames(location: string, wanted: WantedNames): Promise<readonly StoredName[]> {
  if (isServer(location)) {
    const { postgresNames } = await import('./postgres/names.ts');
    return postgresNames(location, wanted);
  }
  const { sqliteNames } = await import('./sqlite/names.ts');
  return sqliteNames(location, wanted);
}
