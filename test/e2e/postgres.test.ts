import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { aieval, ended, start } from '../cli/binary.ts';
import { schemaUrl } from '../store/postgres/server.ts';

const QUICKSTART = fileURLToPath(new URL('../../fixtures/quickstart', import.meta.url));
const SCHEMA = `e2e_${process.pid}`;

let folder: string;
let db: Client;
let env: Readonly<Record<string, string>>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'aieval-pg-'));
  cpSync(QUICKSTART, folder, { recursive: true });
  const store = await schemaUrl(SCHEMA);
  env = { AIEVAL_STORE: store, XDG_STATE_HOME: join(folder, 'state') };
  const url = new URL(store);
  url.searchParams.delete('schema');
  db = new Client({ connectionString: url.href });
  await db.connect();
});
afterEach(async () => {
  await db.query(`DROP SCHEMA IF EXISTS "${SCHEMA}" CASCADE`);
  await db.end();
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]) => aieval(args, { cwd: folder, env });
const hasSchema = async () => (await db.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [SCHEMA])).rowCount === 1;

test('a run on PostgreSQL is planned, run, told, found sound and removed as one in a file is', { timeout: 120_000 }, async () => {
  expect((await run('plan', 'manifest.json')).exitCode).toBe(0);
  expect(await run('status')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('holds no runs yet') });
  expect(await hasSchema()).toBe(false);

  const first = await run('run', 'manifest.json', '--json');
  expect([first.exitCode, first.stderr]).toEqual([expect.any(Number), expect.not.stringContaining('error')]);
  expect(existsSync(join(folder, '.aieval', 'aieval.db'))).toBe(false);
  const status: unknown = JSON.parse((await run('status', '--json')).stdout);
  expect(status).toMatchObject({ calls: 21, cost: { uncertainCalls: 0, unpricedCalls: 0 } });

  const again = await run('run', 'manifest.json');
  expect(again.exitCode).toBe(first.exitCode);
  expect(again.stdout + again.stderr).toMatch(/no calls, 19 jobs from cache/);
  expect(await run('doctor')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Nothing is wrong.') });

  expect((await run('gc', '--keep-days', '0', '--keep-runs', '0', '--yes')).exitCode).toBe(0);
  expect((await db.query(`SELECT count(*)::int AS runs FROM "${SCHEMA}".runs`)).rows).toEqual([{ runs: 0 }]);
});

test('several processes share the work of a run on PostgreSQL', { timeout: 120_000 }, async () => {
  const all = await Promise.all(Array.from({ length: 3 }, () => ended(start(['run', 'manifest.json', '--json'], { cwd: folder, env }))));
  expect(new Set(all.map(({ exitCode }) => exitCode)).size).toBe(1);
  const { rows } = await db.query<{ runs: number; twice: number }>(
    `SELECT (SELECT count(*)::int FROM "${SCHEMA}".runs) AS runs, (SELECT count(*)::int FROM (
      SELECT s.key FROM "${SCHEMA}".calls c JOIN "${SCHEMA}".steps s USING (step_id)
      GROUP BY s.key, s.kind HAVING count(*) > 1) k) AS twice`,
  );
  expect(rows).toEqual([{ runs: 1, twice: 0 }]);
});

test('a server is named once, by its URL, and its password is never shown', async () => {
  const both = await aieval(['status', '--store', 'postgres://localhost/x', '--db', 'x.db'], { cwd: folder });
  expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('both name where runs are kept') });
  const file = await aieval(['status', '--store', 'x.db'], { cwd: folder });
  expect(file).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('must be the URL of a PostgreSQL database') });
  const wrong = await aieval(['status', '--db', 'postgres://ann:secret@127.0.0.1:1/spec'], { cwd: folder });
  expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('a server is named with --store') });
  const gone = await aieval(['status', '--store', 'postgres://ann:secret@127.0.0.1:1/spec'], { cwd: folder });
  expect(gone).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('does not answer') });
  for (const { stdout, stderr } of [both, file, wrong, gone]) expect(stdout + stderr).not.toContain('secret');
  // A flag beats a variable.
  expect(await run('status', '--db', 'none.db')).toMatchObject({ stderr: expect.stringContaining('none.db does not exist') });
});
