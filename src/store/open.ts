import { UserError } from '../domain/errors.ts';
import type { Inspection } from './maintenance.ts';
import type { StoredName, WantedNames } from './names.ts';
import type { InspectOptions } from './sqlite/inspect/inspect.ts';
import type { SqliteOptions } from './sqlite/options.ts';
import type { Store } from './store.ts';

export type StoreOptions = Omit<SqliteOptions, 'path' | 'openDatabase'>;

const SQLITE_SCHEME = 'sqlite:';
const OTHER_SCHEME = /^([a-z][a-z0-9+.-]+):\/\//i;

/**
 * Opens the store that `location` names: the path of a SQLite file, bare or after `sqlite:`. Backends are loaded when they are
 * opened. Throws `UserError` for a kind of store that is not supported.
 */
export async function openStore(location: string, options: StoreOptions): Promise<Store> {
  const path = storePath(location);
  const { openSqliteStore } = await import('./sqlite/open.ts');
  return openSqliteStore({ ...options, path });
}

/**
 * The health of the store that `location` names, as `Store.inspect` tells it, also where the store cannot be opened or is not there:
 * nothing is created, and a lock that another process holds is a finding. Throws `UserError` as `openStore` does for other kinds.
 */
export async function inspectStore(location: string, options: Omit<InspectOptions, 'path'>): Promise<readonly Inspection[]> {
  const path = storePath(location);
  const { inspectDatabase } = await import('./sqlite/inspect/inspect.ts');
  return inspectDatabase({ ...options, path });
}

/**
 * Names in the SQLite file at `path` that begin so; runs newest first, all others in plan order. Only reads, and waits for nothing: throws
 * whatever stands in the way, and where there is no file.
 */
export async function readNames(path: string, wanted: WantedNames): Promise<readonly StoredName[]> {
  const { sqliteNames } = await import('./sqlite/names.ts');
  return sqliteNames(path, wanted);
}

/**
 * The path, as it was given, of the SQLite file that a location names. Throws `UserError` for a kind of store that is not supported; the
 * location itself, which may hold a password, is not repeated.
 */
export function storePath(location: string): string {
  const path = location.startsWith(SQLITE_SCHEME) ? location.slice(SQLITE_SCHEME.length).replace(/^\/\//, '') : location;
  const scheme = OTHER_SCHEME.exec(path)?.[1];
  if (scheme !== undefined) throw unsupported(scheme);
  return path;
}

function unsupported(scheme: string): UserError {
  return new UserError({
    code: 'E22',
    exitCode: 2,
    message: `stores of kind "${scheme}" are not supported yet; a store is the path of a SQLite file.`,
    next: ['--db .aieval/aieval.db'],
  });
}
