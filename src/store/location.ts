import { UserError } from '../domain/errors.ts';

const SERVER = /^postgres(?:ql)?:\/\//i;

/** Whether a location is a database of a server, by its URL; else it is the path of a SQLite file. */
export function isServer(location: string): boolean {
  return SERVER.test(location);
}

/** A location as it may be shown: a URL without its password. */
export function shownLocation(location: string): string {
  if (!isServer(location) || !URL.canParse(location)) return location;
  const url = new URL(location);
  url.password = '';
  url.searchParams.delete('password');
  return url.href;
}

const SQLITE_SCHEME = 'sqlite:';
const OTHER_SCHEME = /^([a-z][a-z0-9+.-]+):\/\//i;

/**
 * The path, as it was given, of the SQLite file that a location names. Throws `UserError` for another kind of store; the location itself,
 * which may hold a password, is not repeated.
 */
export function storePath(location: string): string {
  const path = location.startsWith(SQLITE_SCHEME) ? location.slice(SQLITE_SCHEME.length).replace(/^\/\//, '') : location;
  const scheme = OTHER_SCHEME.exec(path)?.[1];
  if (scheme !== undefined) throw notAFile(scheme, isServer(path));
  return path;
}

function notAFile(scheme: string, known: boolean): UserError {
  const why = known ? 'a server is named with --store' : `stores of kind "${scheme}" are not supported`;
  const next = known
    ? ['--store postgres://user@host:5432/database']
    : ['--db .aieval/aieval.db', '--store postgres://user@host:5432/database'];
  return new UserError({ code: 'E22', exitCode: 2, message: `--db takes the path of a SQLite file; ${why}.`, next });
}
