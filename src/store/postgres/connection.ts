import { Socket } from 'node:net';
import { userInfo } from 'node:os';
import { Client, type ClientBase, type ClientConfig, Pool, type PoolConfig, types } from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';
import { serverUrl } from '../location.ts';
import { passwordFromFile } from './password.ts';
import { refusal } from './storage-error.ts';
import { checkParameters } from './url-parameters.ts';

/** Where a store is: a database, and a schema of it that holds this store alone. */
export type PostgresPlace = {
  /** Host, user, password, TLS: what a driver's client needs. */
  readonly connection: ClientConfig;
  readonly schema: string;
  /** What may be shown: no password. */
  readonly shown: string;
};

const DEFAULT_SCHEMA = 'aieval';
/** A name that needs no quotes, so that whoever looks with psql can type it. */
const SCHEMA_NAME = /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/;

/**
 * Reads `postgres://user@host:port/database?schema=name&sslmode=verify-full`, a URL as libpq takes it. Reads the files that `sslrootcert`,
 * `sslcert` and `sslkey` name. Throws `UserError` (E22, exit 2) where that is none.
 */
export function postgresPlace(location: string): PostgresPlace {
  const url = readUrl(location);
  checkParameters(url.searchParams);
  const schema = url.searchParams.get('schema') ?? DEFAULT_SCHEMA;
  if (!SCHEMA_NAME.test(schema)) {
    throw refusal(
      `the schema "${schema}" must be lower-case letters, digits and _, at most 63, and not begin with pg_.`,
      [EXAMPLE],
      undefined,
      2,
    );
  }
  url.searchParams.delete('schema');
  return { connection: readConnection(url), schema, shown: `${shownServer(url)} (schema ${schema})` };
}

const EXAMPLE = '--store postgres://user@host:5432/database?schema=aieval';

const PASSWORD_ADVICE =
  'of a password in it, # is written %23, / %2F, % %25, ? %3F, @ %40, : %3A; or leave it out of the URL and set PGPASSWORD to it as it is';

function readUrl(location: string): URL {
  const isSeveral = /^[^/]*\/\/[^/?]*,/.test(location);
  // A host may be missing: then the path of a socket is a parameter, or a variable says it.
  const url = isSeveral ? null : serverUrl(location);
  if (url !== null) return url;
  if (isSeveral) throw refusal('a URL that names several hosts is not supported.', [EXAMPLE], undefined, 2);
  throw refusal('this is not a URL of a PostgreSQL database.', [EXAMPLE, PASSWORD_ADVICE], undefined, 2);
}

/**
 * What is asked, wherever the URL says it: a parameter counts more. A socket's folder in the place of a host is shown, too: it is where
 * somebody must look.
 */
function shownServer({ protocol, hostname, port, pathname, searchParams }: URL): string {
  const host = searchParams.get('host') ?? hostname;
  const isBare = host.includes(':') && !/^[/[]/.test(host);
  const at = searchParams.get('port') ?? port;
  return `${protocol}//${isBare ? `[${host}]` : host}${at === '' ? '' : `:${at}`}${pathname}`;
}

/** With `sslmode` as libpq means it: `require` encrypts, and proves who is there only where a root certificate is named. */
function readConnection(url: URL): ClientConfig {
  try {
    return withDefaults(toClientConfig(parse(url.href, { useLibpqCompat: true })));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // Of a file that cannot be read, or of a port that is no number.
    throw refusal(`the URL of the database cannot be used (${error.message}).`, [EXAMPLE], error, 2);
  }
}

/** As libpq has them. */
function withDefaults(config: ClientConfig): ClientConfig {
  const { host = '', port = 5432, user = '', database = '', password = '' } = config;
  const who = user === '' ? userInfo().username : user;
  const wanted = { host: host === '' ? 'localhost' : host, port, user: who, database: database === '' ? who : database };
  return { ...config, ...wanted, password: password === '' ? () => passwordFromFile(wanted) : password };
}

/** Connections of one process: a claim, a settle and a status at once, and what waits for a lock beside them. */
const MOST_CONNECTIONS = 6;

/** Of somebody who was asked to leave: first when there is time for calls in flight, then when there is none. */
const HURRIED_CONNECTION_MS = { soon: 3000, now: 1000 };

/** A connection whose socket is known. The driver tells of no way to leave one whose other end is silent. */
class KnownClient extends Client {
  readonly socket: Socket;
  readonly begunAtMs = performance.now();

  constructor(config?: ClientConfig) {
    const socket = new Socket();
    // The pool hides the password from copies of its options.
    super({ ...config, password: config?.password, stream: () => socket });
    this.socket = socket;
  }
}

/**
 * Connections that hold no state of a session, so that they may lead through PgBouncer in transaction mode: no settings at the start, no
 * names of prepared statements.
 */
export class ConnectionPool extends Pool {
  readonly #clients = new Set<ClientBase>();
  readonly #connecting: Set<KnownClient>;

  constructor({ connection }: PostgresPlace, changes: PoolConfig = {}) {
    const connecting = new Set<KnownClient>();
    class PoolsClient extends KnownClient {
      constructor(config?: ClientConfig) {
        super(config);
        connecting.add(this);
        this.socket.once('close', () => connecting.delete(this));
        this.once('connect', () => connecting.delete(this));
      }
    }
    super({ ...CONNECTION, ...connection, max: MOST_CONNECTIONS, ...changes, Client: PoolsClient });
    this.#connecting = connecting;
    // Of an idle connection, which the pool then forgets: whoever needs one opens another, and is told if that fails too.
    this.on('error', () => undefined);
    this.on('connect', (client) => {
      this.#clients.add(client);
      // Of any connection at any time: one that broke may say so once more when nobody uses it any longer, and would end the process.
      client.on('error', () => undefined);
    });
    this.on('remove', (client) => this.#clients.delete(client));
  }

  /** Whether all connections that there may be have come about, so that one of them is waited for. */
  isFull(): boolean {
    return this.#clients.size >= MOST_CONNECTIONS;
  }

  /** What has come over the connection so far. */
  bytesRead(client: ClientBase): number {
    return socketOf(client)?.bytesRead ?? 0;
  }

  /** Ends a connection, also one whose other end says nothing any more: whoever waits there for an answer hears that there is none. */
  cut(client: ClientBase): void {
    socketOf(client)?.destroy();
  }

  /** Somebody wants to leave: no connection is waited for for long, nor one that is just being made. */
  hurry(how: keyof typeof HURRIED_CONNECTION_MS): void {
    const limitMs = HURRIED_CONNECTION_MS[how];
    this.options.connectionTimeoutMillis = limitMs;
    for (const client of this.#connecting) {
      const timer = setTimeout(
        () => this.#connecting.has(client) && this.cut(client),
        Math.max(0, client.begunAtMs + limitMs - performance.now()),
      );
      timer.unref();
    }
  }

  cutAll(): void {
    for (const client of [...this.#clients, ...this.#connecting]) this.cut(client);
  }
}

export function openPool(place: PostgresPlace, changes?: PoolConfig): ConnectionPool {
  return new ConnectionPool(place, changes);
}

function socketOf(client: ClientBase): Socket | null {
  return client instanceof KnownClient ? client.socket : null;
}

/** The process that serves a connection, as the server told; behind a pooler some number of its own. */
export function pidOf(client: ClientBase): number | null {
  return 'processID' in client && typeof client.processID === 'number' ? client.processID : null;
}

export const LONGEST_CONNECTION_MS = 10_000;

/** What every connection has, also that of a heartbeat. */
export const CONNECTION: PoolConfig = {
  application_name: 'aieval',
  connectionTimeoutMillis: LONGEST_CONNECTION_MS,
  idleTimeoutMillis: 30_000,
  // Statements are sent one after the other without waiting for answers: most of a transaction's time is the way to the server.
  pipeline: true,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
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
