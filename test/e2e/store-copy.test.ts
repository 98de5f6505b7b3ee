import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import BetterSqlite3 from 'better-sqlite3';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { COPIED_TABLES } from '../../src/store/copy/copied-tables.ts';
import { shownLocation } from '../../src/store/location.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { aieval, ended, start } from '../cli/binary.ts';
import { schemaUrl } from '../store/postgres/server.ts';
import { options } from '../store/sqlite/open-store.ts';
import { gatedServer, until } from './gated-server.ts';
import { documents, lastRecord, manifest, project } from './project.ts';

// Each test starts several processes, one after the other.
vi.setConfig({ testTimeout: 240_000 });

const QUICKSTART = fileURLToPath(new URL('../../fixtures/quickstart', import.meta.url));
const FILE = '.aieval/aieval.db';

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

let db: Client;
beforeEach(async () => {
  const url = new URL(await schemaUrl('any'));
  url.searchParams.delete('schema');
  db = new Client({ connectionString: url.href });
  await db.connect();
  undo.push(() => db.end());
});

/** A store on the server that is not there yet. */
async function server(name = 'a'): Promise<string> {
  const schema = `copy_${process.pid}_${name}`;
  undo.push(async () => void (await db.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)));
  return await schemaUrl(schema);
}

const schemaOf = (store: string) => new URL(store).searchParams.get('schema') ?? '';

/** A folder in which the quickstart ran: answers, a re-ask, a dead letter, an answer that is known to be bad; a second time hits. */
async function quickstart(times = 1): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'aieval-copy-'));
  undo.push(() => rmSync(folder, { recursive: true }));
  cpSync(QUICKSTART, folder, { recursive: true });
  for (let time = 0; time < times; time += 1) expect((await aieval(['run', 'manifest.json'], { cwd: folder })).exitCode).toBe(0);
  return folder;
}

const copy = (cwd: string, ...args: string[]) => aieval(['store', 'copy', ...args], { cwd });

/** A store on the server that holds nothing. */
async function emptyStore(folder: string, store: string): Promise<void> {
  await (await openSqliteStore(options(join(folder, 'empty.db'), Date.now))).close();
  expect(await copy(folder, 'empty.db', store)).toMatchObject({ exitCode: 0 });
}

/** The files of each run that its own folder holds, by their paths. */
function filesOf(folder: string): Record<string, string> {
  const runs = join(folder, '.aieval/runs');
  // Beside them is what says that some are copies.
  const own = readdirSync(runs).filter((run) => run.startsWith('r-'));
  const files = own.flatMap((run) => ['summary.md', 'results.jsonl'].map((name) => join(runs, run, name)));
  return Object.fromEntries(files.map((file) => [file, readFileSync(file, 'utf8')]));
}

test('a store goes up to a server, to another schema, and down again: every copy is the same, and makes the same files', async () => {
  const folder = await quickstart(2);
  const [first, second] = [await server('a'), await server('b')];
  const ways = [
    [FILE, first],
    [first, second],
    [second, 'down.db'],
    ['down.db', 'beside.db'],
  ] as const;
  for (const [from, to] of ways) {
    const { exitCode, stdout } = await copy(folder, from, to, '--json');
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { v: 1, same: true, problems: [] }]);
  }
  expect(await copy(folder, '--verify', FILE, 'beside.db')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('is the same as'),
  });

  const files = filesOf(folder);
  expect(Object.keys(files)).toHaveLength(4);
  // A server's runs have their files on the machine that has their folder, and here they are taken away.
  for (const { store, write } of [
    { store: ['--store', first], write: ['artifacts', 'pull'] },
    { store: ['--db', 'beside.db'], write: ['summary'] },
  ]) {
    rmSync(join(folder, '.aieval/runs'), { recursive: true });
    const runs: { runs: { id: string }[] } = JSON.parse((await aieval([...store, 'status', '--all', '--json'], { cwd: folder })).stdout);
    for (const { id } of runs.runs) expect((await aieval([...store, ...write, id], { cwd: folder })).exitCode).toBe(0);
    expect(filesOf(folder)).toEqual(files);
  }
  const again = await aieval(['--store', first, 'run', 'manifest.json'], { cwd: folder });
  expect(again.stdout + again.stderr).toMatch(/no calls, 19 jobs from cache/);
  expect(await aieval(['--store', first, 'doctor'], { cwd: folder })).toMatchObject({ exitCode: 0 });
});

test('a run that was killed goes on in the copy where it was: no answer is paid for twice', async () => {
  const provider = await gatedServer(5);
  undo.push(provider.close);
  const parts = {
    concurrency: 1,
    lease: { ttlMs: 3000, beatMs: 1000 },
    budget: { usd: 5, group: { name: 'team', usd: 50, per: 'month' } },
  };
  const place = project({ files: { 'manifest.json': manifest(provider.baseUrl, parts), ...documents(8) } });
  undo.push(place.remove);
  const worker = start(['run', 'manifest.json', '--json'], { cwd: place.dir });
  const end = ended(worker);
  await until(() => provider.requests.length === 6);

  const store = await server();
  const early = await copy(place.dir, FILE, store);
  expect(early).toMatchObject({ exitCode: 7, stderr: expect.stringContaining('E46') });
  expect(early.stderr).toMatch(new RegExp(`is being worked on by a process \\(host and pid: \\S+ ${worker.pid}\\)`));
  expect(early.stderr).toContain('next: end it there, workers that are idle, too: Ctrl-C, kill -INT <pid>, or systemctl stop');
  worker.kill('SIGKILL');
  await end;
  provider.open();

  expect(await copy(place.dir, FILE, store)).toMatchObject({ exitCode: 0, stderr: '' });
  const { exitCode, stdout } = await aieval(['run', 'manifest.json', '--json', '--store', store], { cwd: place.dir });
  expect([exitCode, lastRecord(stdout)]).toMatchObject([0, { verdict: 'pass', jobs: { total: 8, succeeded: 8 } }]);
  // The one that was on its way when the process died, and each other once.
  expect(provider.requests).toHaveLength(9);
  expect(new Set(provider.requests.map(({ prompt }) => prompt)).size).toBe(8);
  const groups = await aieval(['budget', 'show', '--json', '--store', store], { cwd: place.dir });
  expect(groups.stdout).toContain('"team"');
  // What the copy did does not reach the original.
  expect(await aieval(['status', '--json'], { cwd: place.dir })).toMatchObject({ stdout: expect.stringContaining('"interrupted"') });
});

test.each(['runs', 'documents', 'steps', 'attempts'])(
  'a copy that is killed after its %s goes on with the same command; until then nobody opens it',
  async (table) => {
    const folder = await quickstart();
    const store = await server();
    const schema = schemaOf(store);
    await emptyStore(folder, store);
    const names = COPIED_TABLES.map(({ name }) => name);
    const later = names.slice(names.indexOf(table) + 1);
    await db.query(`BEGIN; LOCK TABLE ${later.map((name) => `"${schema}".${name}`).join(', ')} IN SHARE MODE`);
    const child = start(['store', 'copy', FILE, store], { cwd: folder });
    const end = ended(child);
    await until(async () => (await db.query(`SELECT 1 FROM "${schema}".${table} LIMIT 1`)).rowCount === 1);
    child.kill('SIGKILL');
    expect(await end).toMatchObject({ exitCode: null });
    await db.query('ROLLBACK');

    const refused = await aieval(['status', '--store', store], { cwd: folder });
    expect(refused).toMatchObject({ exitCode: 7, stderr: expect.stringContaining('not whole yet') });
    expect(await copy(folder, store, 'half.db')).toMatchObject({ exitCode: 7, stderr: expect.stringContaining('not whole yet') });
    const other = await quickstart();
    expect(await copy(other, FILE, store)).toMatchObject({ exitCode: 7, stderr: expect.stringContaining('which is another store') });

    const { exitCode, stdout } = await copy(folder, FILE, store, '--json');
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { same: true }]);
    expect(await aieval(['status', '--store', store], { cwd: folder })).toMatchObject({ exitCode: 0 });
  },
);

test('what is in a store already is never overwritten, and a difference is told by its table', async () => {
  const [folder, other] = [await quickstart(), await quickstart()];
  const store = await server();
  expect(await copy(folder, '--dry-run', FILE, store)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Would copy') });
  expect((await db.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schemaOf(store)])).rowCount).toBe(0);
  expect(await copy(folder, FILE, store)).toMatchObject({ exitCode: 0 });
  const again = await copy(folder, FILE, store, '--json');
  expect([again.exitCode, JSON.parse(again.stdout)]).toMatchObject([0, { written: 0, same: true }]);

  const refused = await copy(other, FILE, store);
  expect(refused).toMatchObject({ exitCode: 7, stderr: expect.stringContaining('nothing overwritten') });
  expect(await copy(folder, '--verify', FILE, store)).toMatchObject({ exitCode: 0 });

  await db.query(`UPDATE "${schemaOf(store)}".responses SET latency_ms = latency_ms + 1 WHERE position = 3`);
  const differs = await copy(folder, '--verify', FILE, store);
  expect(differs).toMatchObject({ exitCode: 8, stdout: expect.stringMatching(/^responses .* DIFFERS$/m) });
  expect(differs.stderr).toMatch(/E47.*is not the same as .*: responses\./);
  expect(await copy(folder, FILE, store)).toMatchObject({ exitCode: 7, stderr: expect.stringContaining('nothing overwritten') });
});

test('a store of another version, one that is not there, and one that is the same are refused, and no password is told', async () => {
  const folder = await quickstart();
  cpSync(join(folder, '.aieval/aieval.db'), join(folder, 'newer.db'));
  const newer = new BetterSqlite3(join(folder, 'newer.db'));
  newer.pragma('user_version = 99');
  newer.close();
  expect(await copy(folder, 'newer.db', 'x.db')).toMatchObject({
    exitCode: 7,
    stderr: expect.stringContaining('a newer aieval (schema 99'),
  });
  expect(await copy(folder, 'none.db', 'x.db')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('does not exist') });
  expect(existsSync(join(folder, 'x.db'))).toBe(false);
  expect(await copy(folder, FILE, `sqlite:${FILE}`)).toMatchObject({ exitCode: 7, stderr: expect.stringContaining('into itself') });
  writeFileSync(join(folder, 'bad.db'), 'nonsense '.repeat(500));
  for (const words of [
    ['bad.db', 'x.db'],
    [FILE, 'bad.db'],
  ] as const) {
    const { exitCode, stderr } = await copy(folder, ...words);
    expect([exitCode, stderr]).toEqual([
      8,
      expect.stringMatching(/^error\[E22\]: .*bad\.db is not a database; nothing was changed\.\nnext: another file, or /),
    ]);
    expect(stderr).not.toContain('--db');
  }
  const away = await copy(folder, FILE, 'postgres://ann:secret@127.0.0.1:1/spec');
  expect(away).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('does not answer') });
  expect(away.stdout + away.stderr).not.toContain('secret');
});

test('a dry run looks at the target, too, and changes nothing of it', async () => {
  const folder = await quickstart();
  const [store, closed] = [await server('a'), await server('b')];
  const dry = (to: string) => copy(folder, '--dry-run', FILE, to);
  const words = async (to: string) => (await dry(to)).stdout.split('\n\n').at(-1)?.trim().replaceAll(/\s+/g, ' ');
  expect(await words(store)).toMatch(/^Would copy \d+ rows of .*aieval\.db to postgres:.*, where no store is yet and one may be made\.$/);
  expect(await words('new.db')).toContain('where no store is yet');
  expect(existsSync(join(folder, 'new.db'))).toBe(false);
  await emptyStore(folder, store);
  expect(await words(store)).toContain('which is there and empty');
  await copy(folder, FILE, store);
  expect(await words(store)).toMatch(/^Would copy nothing: /);
  expect(JSON.parse((await copy(folder, '--dry-run', '--json', FILE, store)).stdout)).toMatchObject({ targetIs: 'whole' });

  expect(await copy(folder, '--dry-run', await fileOfAnother(), store)).toMatchObject({
    exitCode: 7,
    stderr: expect.stringContaining('nothing overwritten'),
  });
  expect(await dry('postgres://ann@127.0.0.1:1/spec')).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('does not answer') });
  expect(await dry('none/new.db')).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('does not exist') });
  for (const [why, url] of [
    ['may not create a store', await as('copy_reader', closed)],
    [`are another user's`, await as('copy_reader', store)],
  ] as const) {
    expect(await dry(url)).toMatchObject({ exitCode: 8, stderr: expect.stringMatching(new RegExp(`E22.*${why}`)) });
  }
  const readOnly = new URL(closed);
  readOnly.searchParams.set('options', '-cdefault_transaction_read_only=on');
  expect(await dry(readOnly.href)).toMatchObject({ exitCode: 8, stderr: expect.stringMatching(/E22.*is read-only/) });
});

/** The same store for a user who may look at all and write nothing. */
async function as(role: string, store: string): Promise<string> {
  await db.query(
    `DO $$ BEGIN CREATE ROLE ${role} LOGIN; GRANT pg_read_all_data TO ${role}; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
  );
  const url = new URL(store);
  url.searchParams.set('user', role);
  return url.href;
}

async function fileOfAnother(): Promise<string> {
  return join(await quickstart(), FILE);
}

test('what is the same is told in a short table, and the next command as it can be typed', async () => {
  const folder = await quickstart();
  const store = await server();
  const env = { AIEVAL_STORE: store };
  const { stdout, stderr } = await aieval(['store', 'copy', FILE, store], { cwd: folder, env });
  expect(stderr).toBe('');
  const [head, ...lines] = stdout.split('\n\n')[0]?.split('\n') ?? [];
  expect(head).toMatch(/^TABLE +ROWS +CHECKSUM$/);
  for (const line of lines) expect(line).toMatch(/^\w+ +[1-9]\d* +[0-9a-f]{12}$/);
  expect(stdout).toMatch(/ → aieval status\n$/);
  const verified = await aieval(['store', 'copy', '--verify', FILE, store], { cwd: folder, env });
  expect(verified.stdout.split('\n\n')[0]).toBe([head, ...lines].join('\n'));
});

test('a file that moved up to a server says so to whoever goes on with it, and stops nobody', async () => {
  const folder = await quickstart();
  const store = await server();
  await copy(folder, FILE, 'backup.db');
  expect((await aieval(['status'], { cwd: folder })).stderr).toBe('');
  expect(await copy(folder, FILE, store)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('but for a note that it was copied'),
  });

  const shown = shownLocation(store);
  const note = (stderr: string) => stderr.split('\n').filter((line) => line.startsWith(`note: this store was copied to ${shown} on 2`));
  for (const args of [['status'], ['plan', 'manifest.json'], ['run', 'manifest.json'], ['retry', '--dry-run']]) {
    const { exitCode, stderr } = await aieval(args, { cwd: folder });
    expect([exitCode, note(stderr)]).toEqual([0, [expect.stringContaining(`; to go on there: --store ${shown}, or AIEVAL_STORE`)]]);
  }
  const silent = [await aieval(['status', '--quiet'], { cwd: folder }), await aieval(['status', '--store', store], { cwd: folder })];
  for (const { exitCode, stderr } of silent) expect([exitCode, note(stderr)]).toEqual([0, []]);
  const started = await aieval(['run', 'manifest.json'], { cwd: folder, env: { AIEVAL_STORE: store } });
  expect(started.stderr).toContain(`Runs and answers are kept in ${shown}\n`);
  // The note is of that file alone.
  await copy(folder, store, 'down.db');
  expect((await aieval(['--db', 'down.db', 'status'], { cwd: folder })).stderr).toBe('');
});

test('back in a file there is need of one of another name, as is said', async () => {
  const folder = await quickstart();
  const store = await server();
  await copy(folder, FILE, store);
  await aieval(['store', 'set', 'maxRunning', '8', '--store', store], { cwd: folder });
  const inTheWay = await copy(folder, store, FILE);
  expect(inTheWay).toMatchObject({
    exitCode: 7,
    stderr: expect.stringContaining('next: copy into a file of another name, such as back.db'),
  });
  expect(await copy(folder, store, 'back.db')).toMatchObject({ exitCode: 0 });
});

test('a server that is away is named in the command that looks at it, without its password', async () => {
  const folder = await quickstart();
  const { exitCode, stderr } = await copy(folder, FILE, 'postgres://me:hush@127.0.0.1:1/specs?schema=a');
  expect(exitCode).toBe(8);
  expect(stderr).toMatch(/^warning: postgres:.* does not answer \(.*ECONNREFUSED.*\); waiting for it/m);
  expect(stderr).toContain("next: aieval --store 'postgres://me@127.0.0.1:1/specs?schema=a' doctor\n");
  expect(stderr).not.toContain('hush');
});
