import type { Pool } from 'pg';
import { unfinishedCopy } from '../copy/refusals.ts';
import { LeaseWatch } from '../lease-watch.ts';
import { shownLocation } from '../location.ts';
import type { Store } from '../store.ts';
import { connected } from './connect.ts';
import { openPool, type PostgresPlace, postgresPlace, quoted } from './connection.ts';
import { HintListener } from './hint-listener.ts';
import { inspectPostgres } from './inspect/inspect.ts';
import type { PostgresOptions } from './options.ts';
import { storageError } from './postgres-errors.ts';
import { PostgresStore } from './postgres-store.ts';
import { migrate, versionOf } from './schema/migrations.ts';
import { storeStatements } from './schema/store-statements.ts';
import { STORED } from './schema/stored-list.ts';
import type { StoredStatement } from './stored-statement.ts';
import { Transactor } from './transactor.ts';
import { WorkerRegistry } from './workers/worker-registry.ts';

/**
 * Opens the store in a schema of a PostgreSQL database, creates it where it is not there, and brings it to this version. Throws
 * `UserError` (exit 8) when it cannot be used: no server answers, the user may not, another program's tables, a newer version.
 */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { clock, random, newToken, monotonic } = options;
  const place = postgresPlace(options.location);
  const pool = openPool(place);
  let stored: readonly StoredStatement[];
  try {
    stored = await prepare(pool, place, options.location);
  } catch (error) {
    await pool.end();
    throw storageError(error, place.shown);
  }
  const watch = new LeaseWatch(monotonic);
  const { location, onLockRetry, heartbeatThread: thread, onHeartbeatLost = () => undefined } = options;
  const context = { clock, random, newToken, watch, ...(onLockRetry === undefined ? {} : { onLockRetry }) };
  const transactor = new Transactor(pool, place, context, stored);
  const registry = new WorkerRegistry(transactor, { location, watch, thread, onHeartbeatLost });
  return new PostgresStore(transactor, registry, new HintListener(place, random), () => inspectPostgres(options));
}

/** Whether a store is there already. Throws `UserError` as `openPostgresStore` does. */
export async function postgresStoreExists(location: string): Promise<boolean> {
  const place = postgresPlace(location);
  const pool = openPool(place);
  try {
    const client = await connected(pool, place.shown);
    try {
      return (await versionOf(client, place.schema, place.shown)) > 0;
    } finally {
      client.release();
    }
  } catch (error) {
    throw storageError(error, place.shown);
  } finally {
    await pool.end();
  }
}

async function prepare(pool: Pool, { schema, shown }: PostgresPlace, location: string): Promise<readonly StoredStatement[]> {
  const client = await connected(pool, shown);
  try {
    await migrate(client, schema, shown);
    const unfinished = await client.query<{ source: string }>(`SELECT source FROM ${quoted(schema)}.unfinished_copy`);
    // Runs of it may be there in part.
    for (const { source } of unfinished.rows) throw unfinishedCopy(source, shownLocation(location));
    return await storeStatements(client, schema, STORED);
  } finally {
    client.release();
  }
}
