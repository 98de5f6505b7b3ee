import { resolve } from 'node:path';
import { isServer, serverUrl, storePath } from '../../store/location.ts';
import type { CliIo } from '../io.ts';

/** What libpq takes from the environment: the parameter of a URL that says the same, and where else the URL may say it. */
const VARIABLES: readonly { readonly variable: string; readonly parameter: string; readonly inUrl: (url: URL) => string }[] = [
  { variable: 'PGHOST', parameter: 'host', inUrl: ({ hostname }) => hostname },
  { variable: 'PGPORT', parameter: 'port', inUrl: ({ port }) => port },
  { variable: 'PGUSER', parameter: 'user', inUrl: ({ username }) => username },
  { variable: 'PGPASSWORD', parameter: 'password', inUrl: ({ password }) => password },
  { variable: 'PGSSLMODE', parameter: 'sslmode', inUrl: () => '' },
  { variable: 'PGSSLROOTCERT', parameter: 'sslrootcert', inUrl: () => '' },
  { variable: 'PGSSLCERT', parameter: 'sslcert', inUrl: () => '' },
  { variable: 'PGSSLKEY', parameter: 'sslkey', inUrl: () => '' },
];

/**
 * The URL of a PostgreSQL database with what it leaves open from the `PG*` variables, also those of a `.env`: `postgres:///spec` with
 * `PGHOST`. A URL that cannot be read stays as it is, for its reader to refuse.
 */
export function withPgVariables(location: string, env: CliIo['env']): string {
  const url = serverUrl(location);
  if (url === null) return location;
  const { PGDATABASE = '' } = env;
  if (url.pathname.length <= 1 && PGDATABASE !== '') url.pathname = `/${encodeURIComponent(PGDATABASE)}`;
  for (const { variable, parameter, inUrl } of VARIABLES) {
    const { [variable]: value = '' } = env;
    if (value !== '' && inUrl(url) === '' && !url.searchParams.has(parameter)) url.searchParams.set(parameter, value);
  }
  return url.href;
}

/**
 * The store that was typed as an argument: a path, as an absolute one, or the URL of a database with what the variables say, as `--store`
 * has it.
 */
export function typedLocation(location: string, { cwd, env }: Pick<CliIo, 'cwd' | 'env'>): string {
  return isServer(location) ? withPgVariables(location, env) : resolve(cwd, storePath(location));
}
