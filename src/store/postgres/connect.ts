import { Client, type ClientConfig, DatabaseError, type Pool, type PoolClient } from 'pg';
import { UserError } from '../../domain/errors.ts';
import { CONNECTION, type PostgresPlace } from './connection.ts';
import { isPassing, refusal, storageError } from './postgres-errors.ts';

/** Codes of Node for a certificate that proves nothing to us. */
const CERTIFICATE = /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_|HOSTNAME_MISMATCH$)/;

/**
 * What kept a connection from coming about. Unlike in a transaction an error of the driver here is of the server, the certificate or the
 * password, for most of which it has no code: a message for the user. What the server itself says, and what may pass, stays as it is.
 */
function connectError(error: unknown, shown: string): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseError || error instanceof UserError || isPassing(error)) return error;
  if ('code' in error && typeof error.code === 'string' && CERTIFICATE.test(error.code)) return certificateError(error, shown);
  const next = ['check sslmode in the URL: without TLS it is disable, and so it is when none is stated'];
  return refusal(`no connection to ${shown} (${error.message}).`, next, error);
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
    throw storageError(connectError(error, shown), shown);
  }
}

/** A connection of the pool. Throws `UserError`, or what `storageError` makes one of. */
export async function connected(pool: Pool, shown: string): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw connectError(error, shown);
  }
}
