import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { aieval, type Ended, ended, start } from '../cli/binary.ts';
import type { ScriptedServer } from '../providers/scripted-server.ts';
import { schemaUrl } from '../store/postgres/server.ts';
import { gatedServer, until } from './gated-server.ts';
import { documents, lastRecord, manifest, type Project, project } from './project.ts';

// Each test starts several processes, one after the other.
vi.setConfig({ testTimeout: 120_000 });

const SCHEMA = `e2e_two_${process.pid}`;

const undo: (() => void | Promise<void>)[] = [];
let env: Readonly<Record<string, string>>;

beforeEach(async () => {
  env = { AIEVAL_STORE: await schemaUrl(SCHEMA) };
});
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
  await query(`DROP SCHEMA IF EXISTS "${SCHEMA}" CASCADE`);
});

/** As somebody does who may write the database. */
async function query(text: string, values: readonly unknown[] = []): Promise<void> {
  const url = new URL(env.AIEVAL_STORE ?? '');
  url.searchParams.delete('schema');
  const db = new Client({ connectionString: url.href });
  await db.connect();
  await db.query(`SET search_path TO "${SCHEMA}", public`);
  await db.query(text, [...values]);
  await db.end();
}

type Gated = ScriptedServer & { readonly open: () => void };

async function gated(free: number): Promise<Gated> {
  const server = await gatedServer(free);
  undo.push(server.close);
  return server;
}

/** The machine that has the manifest and the documents. */
function firstMachine(server: ScriptedServer, parts: object = {}): Project {
  const files = { ...documents(4), 'manifest.json': manifest(server.baseUrl, { concurrency: 1, outputs: ['csv', 'html'], ...parts }) };
  const place = project({ files, env });
  undo.push(place.remove);
  return place;
}

type Machine = { readonly dir: string; readonly aieval: (...args: string[]) => Promise<Ended> };

/** Does what happens on another machine, from which no file of this one is seen. */
async function unseen<Result>({ dir }: Pick<Machine, 'dir'>, work: () => Promise<Result>): Promise<Result> {
  renameSync(dir, `${dir}.unseen`);
  try {
    return await work();
  } finally {
    renameSync(`${dir}.unseen`, dir);
  }
}

/** One that has nothing but the store's URL. */
function emptyMachine(more: Readonly<Record<string, string>> = {}): Machine {
  const dir = mkdtempSync(join(tmpdir(), 'aieval-other-'));
  undo.push(() => rmSync(dir, { recursive: true }));
  return { dir, aieval: (...args) => aieval(args, { cwd: dir, env: { ...env, ...more } }) };
}

function working({ dir }: Pick<Machine, 'dir'>, ...args: string[]) {
  const child = start([...args, '--json'], { cwd: dir, env });
  undo.push(() => void child.kill('SIGKILL'));
  return { child, end: ended(child) };
}

/** Path → content of every file below a folder. */
function tree(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}

/** A run of which the first machine made one call and left the rest. */
async function leftBehind(first: Project, server: Gated): Promise<string> {
  const { child, end } = working(first, 'run', 'manifest.json');
  await until(() => server.requests.length === 2);
  // Two signals of one kind may arrive as one.
  child.kill('SIGINT');
  child.kill('SIGTERM');
  return String(lastRecord((await end).stdout).run);
}

test('two machines without a file in common share a run, are both seen at it, and have the same files of it', async () => {
  const server = await gated(0);
  const first = firstMachine(server);
  const [second, third] = [emptyMachine(), emptyMachine()];
  const run = working(first, 'run', 'manifest.json');
  await until(() => server.requests.length === 1);
  const worker = working(second, 'worker', 'latest', '--concurrency', '1');
  await until(() => server.requests.length === 2);

  const status = JSON.parse((await third.aieval('status', '--json')).stdout);
  expect(status.workers).toMatchObject([{ alive: true }, { alive: true }]);
  expect(status.jobs).toMatchObject({ total: 4, running: 2 });
  server.open();
  const [one, other] = [await run.end, await worker.end];
  expect([one.exitCode, other.exitCode, other.stderr]).toEqual([0, 0, '']);
  expect(server.requests).toHaveLength(4);
  expect(lastRecord(other.stdout)).toMatchObject({ verdict: 'pass', jobs: { succeeded: 4 } });

  const runId = String(lastRecord(one.stdout).run);
  const own = join(first.dir, '.aieval', 'runs', runId);
  expect(Object.keys(tree(own))).toEqual(expect.arrayContaining(['summary.md', 'results.jsonl', 'results.csv', 'report.html']));
  expect(readdirSync(second.dir)).toEqual([]);

  for (const _time of [1, 2]) {
    const pulled = await unseen(first, () => second.aieval('artifacts', 'pull'));
    expect(pulled).toEqual({ exitCode: 0, stdout: `.aieval/runs/${runId}\n`, stderr: '' });
    expect(tree(join(second.dir, '.aieval', 'runs', runId))).toEqual(tree(own));
  }
  const named = await unseen(first, () => third.aieval('artifacts', 'pull', '--out', 'there', '--json'));
  expect(JSON.parse(named.stdout)).toEqual({ v: 1, run: runId, state: 'finished', final: true, path: join(third.dir, 'there', runId) });
  expect(tree(join(third.dir, 'there', runId))).toEqual(tree(own));
});

test('what another machine finished is written on the first one by its next command', async () => {
  const server = await gated(1);
  const first = firstMachine(server);
  const second = emptyMachine();
  const runId = await leftBehind(first, server);
  const own = join(first.dir, '.aieval', 'runs', runId);
  expect(readFileSync(join(own, 'summary.md'), 'utf8')).toContain('3 open');
  server.open();
  const { exitCode, stderr } = await unseen(first, () => second.aieval('worker', runId));
  expect(exitCode).toBe(0);
  expect(stderr).toContain(`here: aieval artifacts pull ${runId}`);
  expect(stderr).not.toContain('Saved');
  expect(readdirSync(second.dir)).toEqual([]);
  expect(readFileSync(join(own, 'summary.md'), 'utf8')).toContain('3 open');

  expect(await first.aieval('worker', '--exit-when-idle')).toMatchObject({ exitCode: 0 });
  expect(readFileSync(join(own, 'summary.md'), 'utf8')).toContain('PASS');
  expect(Object.keys(tree(own)).filter((path) => path.endsWith('result.json'))).toHaveLength(4);
  expect((await unseen(first, () => second.aieval('artifacts', 'pull'))).exitCode).toBe(0);
  expect(tree(join(second.dir, '.aieval', 'runs', runId))).toEqual(tree(own));
});

test('a machine without the files of a run tells all of it, names no place that is not its own as one, and removes none', async () => {
  const server = await gated(0);
  server.open();
  const first = firstMachine(server);
  const second = emptyMachine();
  const runId = String(lastRecord((await first.aieval('run', 'manifest.json', '--json')).stdout).run);
  const own = join(first.dir, '.aieval', 'runs', runId);
  const job = 'docs/01.md:quotes:small';
  const commands = [['logs'], ['summary'], ['export', '--format', 'csv'], ['summary', '--json'], ['show', job, '--prompt']];
  const here: Ended[] = [];
  for (const command of commands) here.push(await first.aieval(...command));
  expect(JSON.parse((await first.aieval('show', job, '--json')).stdout)).toMatchObject({ filesHere: true });
  await unseen(first, async () => {
    for (const [at, command] of commands.entries()) expect(await second.aieval(...command)).toEqual(here[at]);
    expect((await second.aieval('show', job)).stdout).toContain(
      `Files: ${own}/jobs/5gi5bx5gs76fa37yixsqmra3r5 on the machine that started the run; here: aieval artifacts pull ${runId}`,
    );
    expect(JSON.parse((await second.aieval('show', job, '--json')).stdout)).toMatchObject({ filesHere: false });
    expect(readdirSync(second.dir)).toEqual([]);

    const copy = join(second.dir, '.aieval', 'runs', runId);
    expect(await second.aieval('report')).toMatchObject({ exitCode: 0, stdout: `.aieval/runs/${runId}/report.html\n` });
    expect(readdirSync(copy)).toEqual(['report.html']);
    expect((await second.aieval('show', job)).stdout).toContain('on the machine that started the run');
    await second.aieval('artifacts', 'pull');
    expect((await second.aieval('show', job)).stdout).toContain(`Files: ${join(copy, 'jobs')}`);

    const gone = await second.aieval('gc', '--keep-days', '0', '--keep-runs', '0', '--yes');
    expect(gone).toMatchObject({ exitCode: 0, stderr: `note: the files of ${runId} stay on the machine that started it, in ${own}\n` });
    expect(existsSync(copy)).toBe(false);
  });
  expect(existsSync(join(own, 'summary.md'))).toBe(true);
});

test('a run that is joined from another machine keeps its files where they are', async () => {
  const server = await gated(1);
  const first = firstMachine(server);
  const runId = await leftBehind(first, server);
  const second = firstMachine(server);
  server.open();
  const joined = await unseen(first, () => second.aieval('run', 'manifest.json', '--json'));
  expect(lastRecord(joined.stdout)).toMatchObject({ run: runId, exitCode: 0 });
  expect(JSON.parse(joined.stdout.split('\n').find((line) => line.includes('"run.started"')) ?? '')).toMatchObject({
    outDir: join(first.dir, '.aieval', 'runs', runId),
    filesHere: false,
  });
  expect(readdirSync(join(second.dir, '.aieval', 'runs'))).toEqual([]);
});

test('a manifest in the database leads no key of this machine to a host that it does not allow, and keeps no other run', async () => {
  const server = await gated(1);
  const first = firstMachine(server);
  const hostile = await leftBehind(first, server);
  const provider = { baseUrl: 'http://lab.invalid:9/v1', apiKeyEnv: 'LAB_KEY', headers: { 'x-more': 'OTHER_KEY' } };
  await query(
    `UPDATE "${SCHEMA}".runs SET manifest = jsonb_set(manifest::jsonb, '{providers,lab}', (manifest::jsonb #> '{providers,lab}') || $1)::json`,
    [JSON.stringify(provider)],
  );
  server.open();
  const honest = firstMachine(server, { name: 'honest', documents: ['docs/01.md'] });
  expect((await honest.aieval('run', 'manifest.json', '--new', '--no-cache')).exitCode).toBe(0);
  await query(`UPDATE "${SCHEMA}".runs SET state = 'open', finished_at_ms = NULL WHERE name = 'honest'`);

  const second = emptyMachine({ LAB_KEY: 'opensesame-1', OTHER_KEY: 'opensesame-2' });
  const all = await second.aieval('worker', '--exit-when-idle');
  expect(all.exitCode).toBe(4);
  expect(all.stderr).toContain(
    `run ${hostile} is left to others: OTHER_KEY is not sent to lab.invalid:9, which a manifest in the database names`,
  );
  expect(all.stderr).toMatch(/PASS {2}r-/);
  const one = await second.aieval('worker', hostile);
  expect(one).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('error[E35]: OTHER_KEY is not sent to lab.invalid:9') });
  expect(one.stderr).toContain('next: if it may go there: export AIEVAL_ALLOW_HOSTS=lab.invalid');
  for (const args of [
    ['worker', hostile],
    ['retry', hostile],
  ])
    expect((await second.aieval(...args, '--allow-host', 'lab.invalid')).stderr).not.toContain('is not sent');
});

test('a manifest and a run in the database have no file of this machine read or written', async () => {
  const server = await gated(1);
  const first = firstMachine(server);
  const runId = await leftBehind(first, server);
  const second = emptyMachine();
  const [secret, target] = [join(second.dir, 'cassette.json'), join(second.dir, 'ssh')];
  writeFileSync(secret, '{"secret":"opensesame"}');
  mkdirSync(target);
  const cassette = { type: 'replay', baseUrl: null, cassette: { path: secret, sha256: '0'.repeat(64) } };
  await query(
    `UPDATE "${SCHEMA}".runs SET out_dir = $2,
      manifest = jsonb_set(manifest::jsonb, '{providers,lab}', (manifest::jsonb #> '{providers,lab}') || $1)::json`,
    [JSON.stringify(cassette), target],
  );
  const worker = await second.aieval('worker', runId);
  expect(worker).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('error[E01]: provider "lab" replays') });
  expect(worker.stderr + worker.stdout).not.toContain('opensesame');
  await second.aieval('cancel', runId);
  await second.aieval('summary');
  expect(readdirSync(target)).toEqual([]);
});

test('a worker that is there before any run waits for the first one, and leaves when it is told to', async () => {
  const server = await gated(1);
  const second = emptyMachine();
  const waiting = start(['worker'], { cwd: second.dir, env });
  undo.push(() => void waiting.kill('SIGKILL'));
  const waited = ended(waiting);
  const leaving = start(['worker'], { cwd: second.dir, env });
  undo.push(() => void leaving.kill('SIGKILL'));
  let said = '';
  leaving.stderr?.on('data', (text: Buffer) => {
    said += text.toString();
  });
  const left = ended(leaving);
  await until(() => said.includes(`holds no runs yet; waiting for the first one, as ${hostname()}, without tags. Ctrl-C ends it.\n`));
  expect(said).toMatch(/^postgres:\/\//);
  leaving.kill('SIGINT');
  expect(await left).toMatchObject({ exitCode: 130, stdout: '' });
  const idle = await second.aieval('worker', '--exit-when-idle', '--json');
  expect([idle.exitCode, idle.stderr, JSON.parse(idle.stdout)]).toEqual([
    0,
    '',
    { v: 1, event: 'worker.finished', exitCode: 0, runs: [], left: [] },
  ]);
  const aloud = await second.aieval('worker', '--exit-when-idle');
  expect(aloud).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^postgres:\/\/.* holds no runs yet\.\n$/) });

  const first = firstMachine(server);
  const run = working(first, 'run', 'manifest.json');
  // The run's own one call and one more are in flight at once.
  await until(() => server.requests.length === 3);
  server.open();
  expect((await run.end).exitCode).toBe(0);
  waiting.kill('SIGINT');
  const { exitCode, stderr } = await waited;
  expect([exitCode, stderr]).toEqual([130, expect.stringContaining(`\nWorking on every unfinished run in postgres://`)]);
  expect(stderr).toContain(`, as ${hostname()}, without tags, also on later ones. Ctrl-C ends it.\n`);
});
