import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
  const url = new URL(env.AIEVAL_STORE ?? '');
  url.searchParams.delete('schema');
  const db = new Client({ connectionString: url.href });
  await db.connect();
  await db.query(`DROP SCHEMA IF EXISTS "${SCHEMA}" CASCADE`);
  await db.end();
});

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
function emptyMachine(): Machine {
  const dir = mkdtempSync(join(tmpdir(), 'aieval-other-'));
  undo.push(() => rmSync(dir, { recursive: true }));
  return { dir, aieval: (...args) => aieval(args, { cwd: dir, env }) };
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
