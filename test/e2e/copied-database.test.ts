import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { aieval } from '../cli/binary.ts';
import { answerJson, type ScriptedServer, startScriptedServer } from '../providers/scripted-server.ts';
import { schemaUrl } from '../store/postgres/server.ts';
import { documents, goodAnswer, manifest, type Project, project } from './project.ts';

const ORIGIN = `origin_${process.pid}`;
const COPY = `copy_${process.pid}`;
const TEST = { timeout: 120_000 };

let admin: Client;
let provider: ScriptedServer;
let place: Project;
let folder: string;
let url: URL;

beforeEach(async () => {
  url = new URL(await schemaUrl('aieval'));
  const bare = new URL(url);
  for (const name of ['schema', 'application_name']) bare.searchParams.delete(name);
  admin = new Client({ connectionString: bare.href });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${ORIGIN}`);
  provider = await startScriptedServer({ respond: ({ prompt }) => answerJson(goodAnswer(prompt)) });
  place = project({ files: { ...documents(2), 'manifest.json': manifest(provider.baseUrl) } });
  folder = mkdtempSync(join(tmpdir(), 'aieval-elsewhere-'));
});
afterEach(async () => {
  for (const name of [COPY, ORIGIN]) await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await admin.end();
  await provider.close();
  place.remove();
  rmSync(folder, { recursive: true });
});

const inDatabase = (name: string, cwd: string, ...args: string[]) => {
  const store = new URL(url);
  store.pathname = `/${name}`;
  return aieval(args, { cwd, env: { AIEVAL_STORE: store.href, XDG_STATE_HOME: join(folder, 'state') } });
};

test('a copy of a database on the same server leaves the files of the one that it was made of alone', TEST, async () => {
  expect((await inDatabase(ORIGIN, place.dir, 'run', 'manifest.json')).exitCode).toBe(0);
  await admin.query(`CREATE DATABASE ${COPY} TEMPLATE ${ORIGIN}`);
  const { stdout: own } = await inDatabase(ORIGIN, place.dir, 'artifacts', 'pull');
  const summary = join(place.dir, own.trim(), 'summary.md');
  const before = readFileSync(summary, 'utf8');
  // What the copy knows is another thing from now on.
  const copy = new URL(url);
  copy.pathname = `/${COPY}`;
  copy.searchParams.delete('schema');
  const db = new Client({ connectionString: copy.href });
  await db.connect();
  await db.query(`UPDATE aieval.runs SET name = 'of the copy'`);
  await db.end();

  const refused = await inDatabase(COPY, place.dir, 'artifacts', 'pull');
  expect(refused).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringMatching(/error\[E34\]: .* holds the files of r-\w+ as the database/),
  });
  expect((await inDatabase(COPY, place.dir, 'summary')).stdout).toContain('of the copy');
  expect((await inDatabase(COPY, place.dir, 'report')).exitCode).toBe(2);
  expect(readFileSync(summary, 'utf8')).toBe(before);

  const elsewhere = await inDatabase(COPY, folder, 'artifacts', 'pull');
  expect(elsewhere.exitCode).toBe(0);
  expect(readFileSync(join(folder, elsewhere.stdout.trim(), 'summary.md'), 'utf8')).toContain('of the copy');
  expect(readFileSync(summary, 'utf8')).toBe(before);
  expect((await inDatabase(ORIGIN, place.dir, 'artifacts', 'pull')).exitCode).toBe(0);
});

test('a database that was given another name keeps the files of its runs', TEST, async () => {
  expect((await inDatabase(ORIGIN, place.dir, 'run', 'manifest.json')).exitCode).toBe(0);
  await admin.query(`ALTER DATABASE ${ORIGIN} RENAME TO ${COPY}`);
  const here = await inDatabase(COPY, place.dir, 'artifacts', 'pull');
  expect([here.exitCode, here.stderr]).toEqual([0, expect.stringMatching(/^note: r-\w+ was started here: its own files, anew\n$/)]);
  const report = await inDatabase(COPY, folder, 'report');
  expect([report.exitCode, report.stderr]).toEqual([0, expect.stringMatching(/^note: r-\w+ was started here: among its own files\n$/)]);
});
