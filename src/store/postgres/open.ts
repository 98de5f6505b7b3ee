import type { PoolClient, PoolConfig } from 'pg';
import { unfinishedCopy } from '../copy/refusals.ts';
import { LeaseWatch } from '../lease-watch.ts';
import { shownLocation } from '../location.ts';
import { IN_SILENCE, type ServerPatience } from '../server-news.ts';
import type { Store } from '../store.ts';
import { LONGEST_CONNECTION_MS, openPool, type PostgresPlace, postgresPlace, quoted } from './connection.ts';
import { HintListener } from './hint-listener.ts';
import { inspectPostgres } from './inspect/inspect.ts';
import type { PostgresOptions } from './options.ts';
import { PostgresStore } from './postgres-store.ts';
import { migrate, versionOf } from './schema/migrations.ts';
import { storeStatements } from './schema/store-statements.ts';
import { STORED } from './schema/stored-list.ts';
import { SpoolLocks } from './spool/spool-locks.ts';
import { spoolPlaces } from './spool/spool-places.ts';
import { Transactor } from './transactor.ts';
import { WorkerRegistry } from './workers/worker-registry.ts';

/** Nothing is at stake yet, and the URL may be wrong. Who waits for ever, as a service does that is started before its server, does so here, too. */
const LONGEST_OPENING_MS = 30_000;

/**
 * Opens the store in a schema of a PostgreSQL database, creates it where it is not there, brings it to this version, and takes in the paid
 * answers that processes of this machine could not give to it. Throws `UserError` (exit 8) when it cannot be used: no server answers, the
 * user may not, another program's tables, a newer version.
 */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const place = postgresPlace(options.location);
  const watch = new LeaseWatch(options.monotonic);
  const { patience = IN_SILENCE, random } = options;
  const transactor = new Transactor(openPool(place, attempts(patience)), place, {
    ...contextOf(options),
    watch,
    patience: opening(patience),
  });
  try {
    await transactor.outside((client) => prepare(client, place, options.location));
    transactor.useStored(await transactor.outside((client) => storeStatements(client, place.schema, STORED)));
    const places = await transactor.outside((client) => spoolPlaces(client, place, options));
    transactor.wait(patience.patienceMs);
    const locks = new SpoolLocks(places);
    const { location, heartbeatThread: thread, onHeartbeatLost = () => undefined, onSpool = () => undefined } = options;
    const registry = new WorkerRegistry(transactor, { location, watch, locks, thread, onHeartbeatLost });
    const hints = new HintListener(place, random);
    const { hostId = null, monotonic } = options;
    const parts = { hints, spool: { places, locks, onSpool }, hostId, monotonic, inspect: () => inspectPostgres(options) };
    const store = new PostgresStore(transactor, registry, parts);
    await store.takeInSpools();
    return store;
  } catch (error) {
    await transactor.close();
    throw error;
  }
}

function opening(patience: ServerPatience): ServerPatience {
  return Number.isFinite(patience.patienceMs) ? { ...patience, patienceMs: Math.min(patience.patienceMs, LONGEST_OPENING_MS) } : patience;
}

/** What was begun while the way was broken hears nothing, also when that is open again: there must be time for another. */
function attempts({ patienceMs }: ServerPatience): PoolConfig {
  return { connectionTimeoutMillis: Math.min(LONGEST_CONNECTION_MS, patienceMs / 2) };
}

function contextOf({ clock, random, newToken, onLockRetry }: PostgresOptions) {
  return { clock, random, newToken, ...(onLockRetry === undefined ? {} : { onLockRetry }) };
}

/** Whether a store is there already. Throws `UserError` as `openPostgresStore` does. */
export async function postgresStoreExists(location: string, patience: ServerPatience): Promise<boolean> {
  const place = postgresPlace(location);
  const watch = new LeaseWatch(() => performance.now());
  const context = { clock: null, random: Math.random, newToken: () => crypto.randomUUID(), watch, patience: opening(patience) };
  const transactor = new Transactor(openPool(place, attempts(patience)), place, context);
  try {
    return (await transactor.outside((client) => versionOf(client, place.schema, place.shown))) > 0;
  } finally {
    await transactor.close();
  }
}

async function prepare(client: PoolClient, { schema, shown }: PostgresPlace, location: string): Promise<void> {
  await migrate(client, schema, shown);
  const unfinished = await client.query<{ source: string }>(`SELECT source FROM ${quoted(schema)}.unfinished_copy`);
  // Runs of it may be there in part.
  for (const { source } of unfinished.rows) throw unfinishedCopy(source, shownLocation(location));
}
