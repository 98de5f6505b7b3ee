import { Pool, type PoolConfig, types } from 'pg';
import { refusal } from './postgres-errors.ts';

/** Where a store is: a database, and a schema of it that holds this store alone. */
export type PostgresPlace = {
  readonly connectionString: string;
  readonly schema: string;
  /** What may be shown: no password. */
  readonly shown: string;
};

const DEFAULT_SCHEMA = 'aieval';
/** A name that needs no quotes, so that whoever looks with psql can type it. */
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** Reads `postgres://user@host:port/database?schema=name`. Throws `UserError` (E22, exit 2) where that is none. */
export function postgresPlace(location: string): PostgresPlace {
  // A host may be missing: then the path of a socket is a parameter.
  if (!URL.canParse(location)) throw refusal('this is not a URL of a PostgreSQL database.', [EXAMPLE], undefined, 2);
  const url = new URL(location);
  const schema = url.searchParams.get('schema') ?? DEFAULT_SCHEMA;
  if (!SCHEMA_NAME.test(schema)) {
    throw refusal(`the schema "${schema}" must be lower-case letters, digits and _, at most 63.`, [EXAMPLE], undefined, 2);
  }
  url.searchParams.delete('schema');
  return { connectionString: url.href, schema, shown: `${url.protocol}//${url.host}${url.pathname} (schema ${schema})` };
}

const EXAMPLE = '--store postgres://user@host:5432/database?schema=aieval';

/** Connections of one process: a claim, a settle and a status at once, and what waits for a lock beside them. */
const MOST_CONNECTIONS = 6;

/**
 * A pool whose connections hold no state of a session, so that they may lead through PgBouncer in transaction mode: no settings at the
 * start, no names of prepared statements.
 */
export function openPool({ connectionString }: PostgresPlace): Pool {
  const pool = new Pool({ connectionString, max: MOST_CONNECTIONS, ...CONNECTION });
  // Of an idle connection, which the pool then forgets: whoever needs one opens another, and is told if that fails too.
  pool.on('error', () => undefined);
  // Of any connection at any time: one that broke may say so once more when nobody uses it any longer, and would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** What every connection has, also that of a heartbeat. */
export const CONNECTION: PoolConfig = {
  application_name: 'aieval',
  connectionTimeoutMillis: 10_000,
  idleTimeoutMillis: 30_000,
  // Statements are sent one after the other without waiting for answers: most of a transaction's time is the way to the server.
  pipeline: true,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  // A server that answers nothing any more, not even that it is still at it.
  query_timeout: 90_000,
  types: { getTypeParser: (oid: number, format?: 'text' | 'binary') => INTEGERS.get(oid) ?? types.getTypeParser(oid, format) },
};

/** bigint, and numeric, which sums of it are. Money and times fit into a number; what does not is an error, not another amount. */
const INTEGERS: ReadonlyMap<number, (text: string) => number> = new Map([
  [types.builtins.INT8, exactInteger],
  [types.builtins.NUMERIC, Number],
]);

function exactInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`${text} is beyond what can be counted exactly`);
  return value;
}

/** A schema's name, quoted. */
export function quoted(schema: string): string {
  return `"${schema.replaceAll('"', '""')}"`;
}
