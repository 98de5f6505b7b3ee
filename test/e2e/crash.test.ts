import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { ended, start } from '../cli/binary.ts';
import { answer, answerJson, type ScriptedServer, startScriptedServer } from '../providers/scripted-server.ts';
import { documents, goodAnswer, lastRecord, manifest, type Project, project } from './project.ts';

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** Answers the first `free` requests at once and holds the others back until `open` is called. */
async function gatedServer(free: number): Promise<ScriptedServer & { readonly open: () => void }> {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const server = await startScriptedServer({
    respond: async ({ prompt, n }) => {
      if (n > free) await opened;
      return answerJson(goodAnswer(prompt));
    },
  });
  undo.push(server.close);
  return { ...server, open };
}

function folder(baseUrl: string, count: number, parts: object = {}): Project {
  const made = project({ files: { 'manifest.json': manifest(baseUrl, parts), ...documents(count) } });
  undo.push(made.remove);
  return made;
}

/** Resolves once `ready` holds; asks again whenever the event loop turns, so that nothing depends on a pause being long enough. */
async function until(ready: () => boolean): Promise<void> {
  while (!ready()) await new Promise((resolve) => setTimeout(resolve, 10));
}

async function settledJobs({ aieval }: Project): Promise<number> {
  const status = await aieval('status', '--json');
  return status.exitCode === 0 ? JSON.parse(status.stdout).jobs.succeeded : 0;
}

describe('a killed process', () => {
  test('loses no settled answer: the same command finishes long before the lease ends, and repeats at most what was in flight', async () => {
    const server = await gatedServer(5);
    const place = folder(server.baseUrl, 12, {
      providers: { lab: { type: 'openai', baseUrl: server.baseUrl, limits: { concurrency: 8 } } },
    });
    const child = start(['run', 'manifest.json'], { cwd: place.dir });
    await until(() => server.requests.length >= 5 + 4);
    while ((await settledJobs(place)) < 5) await new Promise((resolve) => setTimeout(resolve, 50));
    const inFlight = server.requests.slice(5).map(({ prompt }) => prompt);
    const settled = server.requests.slice(0, 5).map(({ prompt }) => prompt);
    child.kill('SIGKILL');
    await once(child, 'close');
    server.open();

    const again = await place.aieval('run', 'manifest.json', '--json');
    expect(lastRecord(again.stdout)).toMatchObject({ exitCode: 0, jobs: { total: 12, succeeded: 12 }, results: { pass: 12 } });
    const asked = (prompt: string): number => server.requests.filter((request) => request.prompt === prompt).length;
    expect(settled.map(asked)).toEqual([1, 1, 1, 1, 1]);
    const repeated = server.requests.map(({ prompt }) => prompt).filter((prompt) => asked(prompt) > 1);
    expect(inFlight).toEqual(expect.arrayContaining([...new Set(repeated)]));
    expect(server.requests.length).toBeLessThanOrEqual(12 + inFlight.length);
  });

  test('leaves its calls in flight in the ledger as of unknown outcome', async () => {
    const server = await gatedServer(0);
    const place = folder(server.baseUrl, 4);
    const child = start(['run', 'manifest.json'], { cwd: place.dir });
    await until(() => server.requests.length === 4);
    child.kill('SIGKILL');
    await once(child, 'close');
    server.open();
    const again = await place.aieval('run', 'manifest.json', '--json');
    expect(lastRecord(again.stdout)).toMatchObject({ exitCode: 0, jobs: { succeeded: 4 }, calls: 8 });
  });
});

describe('a signal', () => {
  test('lets calls in flight finish, starts nothing more, and exits 130; the same command continues', async () => {
    const server = await gatedServer(0);
    const place = folder(server.baseUrl, 6, { concurrency: 2 });
    const child = start(['run', 'manifest.json', '--json'], { cwd: place.dir });
    const end = ended(child);
    await until(() => server.requests.length === 2);
    child.kill('SIGINT');
    server.open();
    const { exitCode, stdout } = await end;
    expect(exitCode).toBe(130);
    expect(lastRecord(stdout)).toMatchObject({ exitCode: 130, verdict: 'incomplete', jobs: { succeeded: 2, queued: 4, running: 0 } });
    const again = await place.aieval('run', 'manifest.json', '--json');
    expect(lastRecord(again.stdout)).toMatchObject({ exitCode: 0, jobs: { succeeded: 6 }, calls: 6 });
    expect(server.requests).toHaveLength(6);
  });

  test('a second one ends the calls and hands their steps back; no attempt is counted', async () => {
    const server = await gatedServer(0);
    const place = folder(server.baseUrl, 3, { retry: { attempts: 1 } });
    const child = start(['run', 'manifest.json', '--json'], { cwd: place.dir });
    const end = ended(child);
    await until(() => server.requests.length === 3);
    child.kill('SIGTERM');
    child.kill('SIGINT');
    const { exitCode, stdout } = await end;
    expect([130, 143]).toContain(exitCode);
    expect(lastRecord(stdout)).toMatchObject({ verdict: 'incomplete', jobs: { queued: 3, failed: 0 } });
    server.open();
    const again = await place.aieval('run', 'manifest.json', '--json');
    expect(lastRecord(again.stdout)).toMatchObject({ exitCode: 0, jobs: { succeeded: 3 } });
  });
});

describe('a bug that nobody waits for', () => {
  test('is told, and the process ends as told to stop: what is in flight is answered and stored, leases are handed back', async () => {
    const server = await gatedServer(0);
    const place = folder(server.baseUrl, 6, { concurrency: 2 });
    const bug = "process.on('SIGUSR2', () => { throw new RangeError('bug'); });";
    const nodeArguments = ['--import', `data:text/javascript,${encodeURIComponent(bug)}`];
    const child = start(['run', 'manifest.json', '--json'], { cwd: place.dir, nodeArguments });
    const end = ended(child);
    await until(() => server.requests.length === 2);
    child.kill('SIGUSR2');
    child.stderr?.on('data', (text) => {
      if (String(text).includes('E99')) server.open();
    });
    const { exitCode, stdout, stderr } = await end;
    expect(exitCode).toBe(70);
    expect(stderr.match(/error\[E99\]: RangeError: bug/g)).toHaveLength(1);
    expect(lastRecord(stdout)).toMatchObject({ verdict: 'incomplete', jobs: { succeeded: 2, queued: 4, running: 0 } });
    const again = await place.aieval('run', 'manifest.json', '--json');
    expect(lastRecord(again.stdout)).toMatchObject({ exitCode: 0, jobs: { succeeded: 6 }, calls: 6 });
    expect(server.requests).toHaveLength(6);
  });
});

describe('a database that somebody else keeps locked', () => {
  test('keeps nobody from looking, nor a process that is told twice to stop: its paid answers are kept, and taken in without a call', async () => {
    const server = await gatedServer(0);
    const place = folder(server.baseUrl, 3);
    const child = start(['run', 'manifest.json', '--json'], { cwd: place.dir });
    const end = ended(child);
    await until(() => server.requests.length === 3);
    const db = new BetterSqlite3(join(place.dir, '.aieval/aieval.db'));
    db.exec('BEGIN IMMEDIATE');
    server.open();
    const spool = join(place.dir, '.aieval/aieval.db.spool');
    const kept = () => readdirSync(spool).map((name) => (readFileSync(join(spool, name), 'utf8').match(/"token"/g) ?? []).length);
    await until(() => kept()[0] === 3);
    const status = await place.aieval('status', '--json');
    expect(JSON.parse(status.stdout)).toMatchObject({ run: { state: 'running' }, jobs: { running: 3 } });
    child.kill('SIGINT');
    child.kill('SIGTERM');
    const { exitCode, stderr } = await end;
    expect([130, 143]).toContain(exitCode);
    expect(stderr).toContain('is locked by another program');
    db.exec('ROLLBACK');
    db.close();
    const again = await place.aieval('run', 'manifest.json', '--json');
    expect(lastRecord(again.stdout)).toMatchObject({ exitCode: 0, jobs: { succeeded: 3 }, calls: 3 });
    expect(server.requests).toHaveLength(3);
  });
});

describe('aieval cancel', () => {
  test('ends queued work at once; running calls finish and are kept', async () => {
    const server = await gatedServer(0);
    const place = folder(server.baseUrl, 5, { concurrency: 2 });
    const end = ended(start(['run', 'manifest.json', '--json'], { cwd: place.dir }));
    await until(() => server.requests.length === 2);
    expect((await place.aieval('cancel')).exitCode).toBe(0);
    server.open();
    const { exitCode, stdout } = await end;
    expect(exitCode).toBe(3);
    expect(lastRecord(stdout)).toMatchObject({ jobs: { succeeded: 2, cancelled: 3, queued: 0, running: 0 } });
    expect(server.requests).toHaveLength(2);
  });
});

describe('a job that fails for a while', () => {
  test('is tried again and succeeds', async () => {
    const server = await startScriptedServer({
      respond: ({ prompt, n }) => (n === 1 ? answer('', { finishReason: null }) : answerJson(goodAnswer(prompt))),
    });
    undo.push(server.close);
    const place = folder(server.baseUrl, 1);
    const { stdout } = await place.aieval('run', 'manifest.json', '--json');
    expect(lastRecord(stdout)).toMatchObject({ exitCode: 0, jobs: { succeeded: 1 }, calls: 2 });
  });
});
