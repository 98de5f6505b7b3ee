import { Client, type ClientConfig, type Pool, type PoolClient } from 'pg';
import { CONNECTION, type PostgresPlace } from './connection.ts';
import { isPassing } from './postgres-errors.ts';
import { connectError } from './storage-error.ts';

/** A connection of its own, which the caller ends. Throws `UserError` where none comes about. */
export async function openClient({ connection, shown }: PostgresPlace, changes: ClientConfig): Promise<Client> {
  const client = new Client({ ...CONNECTION, ...connection, ...changes });
  // Whoever asks next meets it again.
  client.on('error', () => undefined);
  try {
    await client.connect();
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
