import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { UserError } from '../../../src/domain/errors.ts';
import { postgresStoreExists } from '../../../src/store/postgres/open.ts';
import { IN_SILENCE } from '../../../src/store/server-news.ts';
import { aieval } from '../../cli/binary.ts';
import { openTempStore } from '../sqlite/open-store.ts';
import { OwnServer } from './server.ts';

const PASSWORD = 'p@ss: word/1';

let server: OwnServer;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'aieval-password-'));
  server = new OwnServer();
  await server.start();
  const db = new Client({ connectionString: server.url('none').href });
  await db.connect();
  await db.query(`CREATE ROLE ann LOGIN PASSWORD '${PASSWORD}'`);
  await db.query('GRANT CREATE ON DATABASE postgres TO ann');
  writeFileSync(join(server.folder, 'data', 'pg_hba.conf'), 'local all all scram-sha-256\n');
  await db.query('SELECT pg_reload_conf()');
  await db.end();
});
afterAll(async () => {
  await server.remove();
  rmSync(folder, { recursive: true });
});
afterEach(() => {
  delete process.env.PGPASSFILE;
});

/** A URL of that server for `ann`. */
function urlOf(password: string): string {
  const url = server.url('none');
  url.searchParams.delete('user');
  url.username = 'ann';
  url.password = password;
  return url.href;
}

async function refused(location: string): Promise<UserError> {
  try {
    await postgresStoreExists(location, IN_SILENCE);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error('It was let in');
}

it('the password of the URL lets in, and another one does not', async () => {
  expect(await postgresStoreExists(urlOf(PASSWORD), IN_SILENCE)).toBe(false);
  expect(await refused(urlOf('other-word'))).toMatchObject({
    code: 'E22',
    exitCode: 8,
    message: expect.stringContaining('refuses this user'),
  });
});

it('without one that of PGPASSFILE is taken, and where there is none it is said what is missing', async () => {
  const file = join(folder, 'pgpass');
  writeFileSync(file, `*:*:*:ann:${PASSWORD.replaceAll(':', '\\:')}\n`, { mode: 0o600 });
  process.env.PGPASSFILE = file;
  expect(await postgresStoreExists(urlOf(''), IN_SILENCE)).toBe(false);
  process.env.PGPASSFILE = join(folder, 'none');
  const error = await refused(urlOf(''));
  expect(error).toMatchObject({
    code: 'E22',
    exitCode: 8,
    message: expect.stringMatching(/wants a password of user "ann", and none was given\.$/),
  });
  expect(error.next).toEqual(['set PGPASSWORD, add the server to ~/.pgpass (mode 600), or put the password into AIEVAL_STORE']);
});

it('wherever it is said every command has it, and it is never shown', { timeout: 60_000 }, async () => {
  const status = (env: Readonly<Record<string, string>>, ...args: string[]) => aieval(['status', ...args], { cwd: folder, env });
  const ways = [
    () => status({ AIEVAL_STORE: urlOf(PASSWORD) }),
    () => status({ AIEVAL_STORE: urlOf(''), PGPASSWORD: PASSWORD }),
    () => status({}, '--store', urlOf(PASSWORD)),
    () => {
      writeFileSync(join(folder, '.env'), `AIEVAL_STORE=${urlOf('')}\nPGPASSWORD="${PASSWORD}"\n`);
      return status({});
    },
  ];
  for (const way of ways) {
    const { exitCode, stderr, stdout } = await way();
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('holds no runs yet') });
    for (const spelled of [PASSWORD, encodeURIComponent(PASSWORD)]) expect(stdout + stderr).not.toContain(spelled);
  }
});

it('a store that is copied, up or down, is named as --store names it', { timeout: 60_000 }, async () => {
  const { path, dispose } = await openTempStore(Date.now);
  const bare = 'postgres:///postgres?schema=copied';
  const env = { PGHOST: server.folder, PGPORT: '5432', PGUSER: 'ann', PGPASSWORD: PASSWORD };
  const copy = (given: Readonly<Record<string, string>>, ...args: string[]) =>
    aieval(['store', 'copy', ...args], { cwd: folder, env: given });
  rmSync(join(folder, '.env'), { force: true });
  const ways = [await copy(env, path, bare), await copy(env, bare, 'down.db')];
  // As in any folder with runs.
  mkdirSync(join(folder, '.aieval'));
  const lines = Object.entries(env).map(([name, value]) => `${name}="${value}"\n`);
  writeFileSync(join(folder, '.env'), lines.join(''));
  ways.push(await copy({}, '--verify', path, bare), await copy({}, '--dry-run', bare, 'other.db'));
  for (const { exitCode, stderr, stdout } of ways) {
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    for (const spelled of [PASSWORD, encodeURIComponent(PASSWORD)]) expect(stdout).not.toContain(spelled);
  }
  await dispose();
});
