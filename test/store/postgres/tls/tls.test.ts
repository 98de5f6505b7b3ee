import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { UserError } from '../../../../src/domain/errors.ts';
import { inspectPostgres } from '../../../../src/store/postgres/inspect/inspect.ts';
import { postgresStoreExists } from '../../../../src/store/postgres/open.ts';
import { IN_SILENCE } from '../../../../src/store/server-news.ts';
import { schemaUrl } from '../server.ts';

const CA = fileURLToPath(new URL('./ca.crt', import.meta.url));
/** Signed by that authority, for the name `localhost`. */
const CERTIFICATE = {
  cert: readFileSync(new URL('./server.crt', import.meta.url)),
  key: readFileSync(new URL('./server.key', import.meta.url)),
};
/** What a client of PostgreSQL says first where it wants TLS. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

let server: Server | undefined;
afterEach(() => new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve()))));

/** A server that encrypts, or does not know how to, and behind it the tests' own. Gives its port. */
async function encrypting(knowsTls: boolean): Promise<number> {
  const behind = serverOf(new URL(await schemaUrl('none')));
  const accept = (client: Socket) =>
    client.once('data', (first) => {
      if (!first.equals(SSL_REQUEST)) return client.destroy();
      client.write(knowsTls ? 'S' : 'N');
      if (knowsTls) forward(new TLSSocket(client, { isServer: true, ...CERTIFICATE }), connect(behind));
      return client.resume();
    });
  const listening = createServer(accept);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = listening.address();
  if (address === null || typeof address === 'string') throw new Error('Expected a port');
  return address.port;
}

function serverOf({ searchParams, hostname, port }: URL): NetConnectOpts {
  const folder = searchParams.get('host');
  return folder === null ? { host: hostname, port: port === '' ? 5432 : Number(port) } : { path: `${folder}/.s.PGSQL.5432` };
}

function forward(client: TLSSocket, behind: Socket): void {
  client.pipe(behind).pipe(client);
  for (const socket of [client, behind]) {
    socket.on('error', () => {
      client.destroy();
      behind.destroy();
    });
  }
}

async function refused(location: string): Promise<UserError> {
  try {
    await postgresStoreExists(location, IN_SILENCE);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error('It was opened');
}

const at = (host: string, port: number, more: string) => `postgres://postgres:secret-word@${host}:${port}/postgres?schema=none&${more}`;

describe('a connection with TLS', () => {
  it('comes about with proof of the server, of its authority alone, or without any, as sslmode says', async () => {
    const port = await encrypting(true);
    expect(await postgresStoreExists(at('localhost', port, `sslmode=verify-full&sslrootcert=${CA}`), IN_SILENCE)).toBe(false);
    expect(await postgresStoreExists(at('127.0.0.1', port, `sslmode=verify-ca&sslrootcert=${CA}`), IN_SILENCE)).toBe(false);
    expect(await postgresStoreExists(at('127.0.0.1', port, 'sslmode=require'), IN_SILENCE)).toBe(false);
  });

  it('is refused, with what helps, where the server proves to be another', async () => {
    const port = await encrypting(true);
    const unknown = await refused(at('localhost', port, 'sslmode=verify-full'));
    const misnamed = await refused(at('127.0.0.1', port, `sslmode=verify-full&sslrootcert=${CA}`));
    for (const error of [unknown, misnamed]) {
      expect(error).toMatchObject({ code: 'E22', exitCode: 8, message: expect.stringContaining('does not prove to be that server') });
      expect(error.next[0]).toContain('sslrootcert=');
      expect(error.message + error.next.join()).not.toContain('secret-word');
    }
    const found = await inspectPostgres({ location: at('localhost', port, 'sslmode=verify-full'), clock: null });
    expect(found).toMatchObject([{ check: 'server', status: 'problem', message: unknown.message }]);
  });

  it('is never given up for one in the clear', async () => {
    const error = await refused(at('localhost', await encrypting(false), 'sslmode=require'));
    expect(error).toMatchObject({ code: 'E22', exitCode: 8, message: expect.stringMatching(/^no connection to .*does not support SSL/) });
  });
});
