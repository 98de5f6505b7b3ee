import { UserError } from '../domain/errors.ts';

const SERVER = /^postgres(?:ql)?:\/\//i;

/** Whether a location is a database of a server, by its URL; else it is the path of a SQLite file. */
export function isServer(location: string): boolean {
  return SERVER.test(location);
}

const ADDRESS = /^(?!sqlite:)[a-z][a-z0-9+.-]+:\/\//i;

/** Whether it is a URL, of whatever, and no path; `sqlite://` names a file. */
export function isAddress(location: string): boolean {
  return ADDRESS.test(location);
}

/** What stands before the first of the characters that end the place of user, password and host, and what after it. */
const PARTS = /^[^:]*:\/\/([^/?#]*)(.*)$/s;

/**
 * The URL of a server's database; `null` where it is none, also where a part of a password, written as it is, ends up in another place: no
 * part of such a URL may be shown.
 */
export function serverUrl(location: string): URL | null {
  const [, authority = '', rest = ''] = PARTS.exec(location) ?? [];
  const [path = '', ...others] = rest.split('?');
  const names = others
    .join('?')
    .split('&')
    .map((parameter) => parameter.split('=', 1).join());
  const isAstray = rest.includes('#') || `${path}${names.join()}`.includes('@');
  const isMoved = authority !== '' && !authority.includes('@') && rest.includes('@');
  return isAstray || isMoved || !isDecodable(authority) || !URL.canParse(location) ? null : new URL(location);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** A location as it may be shown: a URL without its password, and nothing of one that cannot be read. */
export function shownLocation(location: string): string {
  if (!isServer(location)) return location;
  const url = serverUrl(location);
  if (url === null) return 'postgres://…';
  url.password = '';
  for (const secret of ['password', 'sslpassword']) url.searchParams.delete(secret);
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
