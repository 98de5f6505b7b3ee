import { Client, type ClientConfig, type Pool, type PoolClient } from 'pg';
import type { ServerPatience } from '../server-news.ts';
import { CONNECTION, type PostgresPlace } from './connection.ts';
import { isPassing } from './postgres-errors.ts';
import { connectError, noConnectionYet } from './storage-error.ts';
import { tellIfSlow } from './tell-if-slow.ts';

/** A connection of its own, which the caller ends; it is tried for once, and `onServer` hears where that takes long. Throws `UserError` where none comes about. */
export async function openClient(
  { connection, shown }: PostgresPlace,
  changes: ClientConfig,
  onServer: ServerPatience['onServer'] = () => undefined,
): Promise<Client> {
  const config = { ...CONNECTION, ...connection, ...changes };
  const { connectionTimeoutMillis: patienceMs = Number.POSITIVE_INFINITY } = config;
  const client = new Client(config);
  // Whoever asks next meets it again.
  client.on('error', () => undefined);
  try {
    await tellIfSlow(client.connect(), () => onServer({ kind: 'away', shown, ...noConnectionYet(), patienceMs }));
    return client;
  } catch (error) {
    await client.end();
    throw connectError(error, shown);
  }
}

/** A connection of the pool. Throws `UserError`, or as it is what may pass. */
export async function connected(pool: Pool, shown: string): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw isPassing(error) ? error : connectError(error, shown);
  }
}
