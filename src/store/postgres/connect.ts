import { Client, type ClientConfig, type Pool, type PoolClient } from 'pg';
import { UserError } from '../../domain/errors.ts';
import { CONNECTION, type PostgresPlace } from './connection.ts';
import { refusal, storageError } from './postgres-errors.ts';

/** Codes of Node for a certificate that proves nothing to us. */
const CERTIFICATE = /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_|HOSTNAME_MISMATCH$)/;

/**
 * What kept a connection from coming about, as a message for the user. Unlike in a transaction whatever the driver throws here is of the
 * server, the network, the certificate or the password, for most of which the driver has no code. `shown` names the store, without password.
 */
function connectError(error: unknown, shown: string): unknown {
  const known = storageError(error, shown);
  if (known instanceof UserError || !(error instanceof Error)) return known;
  if ('code' in error && typeof error.code === 'string' && CERTIFICATE.test(error.code)) return certificateError(error, shown);
  return refusal(
    `no connection to ${shown} (${error.message}).`,
    ['check sslmode in the URL, and the password: PGPASSWORD, ~/.pgpass'],
    error,
  );
}

function certificateError(error: Error, shown: string): UserError {
  const next = [
    'sslrootcert=<path of the CA certificate> in the URL, and the host by the name in its certificate',
    'sslmode=require in the URL encrypts without proof of who is there',
  ];
  return refusal(`${shown} does not prove to be that server (${error.message}).`, next, error);
}

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

/** A connection of the pool. Throws `UserError` where none comes about. */
export async function connected(pool: Pool, shown: string): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw connectError(error, shown);
  }
}
