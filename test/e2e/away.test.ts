import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Ended, ended, start } from '../cli/binary.ts';
import { answer } from '../providers/scripted-server.ts';
import { BreakingProxy } from '../store/postgres/proxy.ts';
import { OwnServer, schemaUrl } from '../store/postgres/server.ts';
import { documents, goodAnswer, lastRecord, manifest, type Project, project } from './project.ts';
import { type ScriptableProvider, startProvider } from './providers/scriptable-provider.ts';

const SCHEMA = `away_${process.pid}`;
const DOCUMENTS = 6;
const CONCURRENCY = 3;
/** Short, so that all leases run out while the server is away. */
const LEASE = { ttlMs: 4000, beatMs: 1000, deadlineMs: 600_000 };
const TEST = { timeout: 180_000 };
/** Of somebody who was asked to leave, with a server that says nothing: 5 s, on a busy machine. */
const LEAVES_WITHIN_MS = 15_000;

let place: Project;
let provider: ScriptableProvider;
let release: () => void;
let env: Readonly<Record<string, string>>;
const undo: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** A provider that keeps its calls until it is told to answer. */
async function prepare(store: string): Promise<void> {
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  undo.push(() => release());
  provider = await startProvider({
    respond: async ({ prompt }) => {
      await released;
      return { scenario: answer(JSON.stringify(goodAnswer(prompt))) };
    },
  });
  undo.push(provider.close);
  place = project({
    files: { ...documents(DOCUMENTS), 'manifest.json': manifest(provider.baseUrl, { concurrency: CONCURRENCY, lease: LEASE }) },
  });
  undo.push(place.remove);
  env = { AIEVAL_STORE: store, XDG_STATE_HOME: join(place.dir, 'state') };
}

const spools = (): string[] => {
  const folder = join(place.dir, 'state', 'aieval', 'spool');
  return existsSync(folder) ? readdirSync(folder).flatMap((name) => (name.endsWith('.spool') ? [join(folder, name)] : [])) : [];
};
const kept = (): number => spools().reduce((sum, path) => sum + readFileSync(path, 'utf8').split('"token"').length - 1, 0);
const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await pause(50);
};
const times = (text: string, words: string): number => text.split(words).length - 1;

function expectClean({ exitCode, stderr }: Ended): void {
  expect(stderr).not.toMatch(/^error/m);
  expect(exitCode).toBe(0);
}

describe('a run whose server is away', () => {
  let proxy: BreakingProxy;
  let db: Client;

  beforeEach(async () => {
    const url = new URL(await schemaUrl(SCHEMA));
    proxy = new BreakingProxy(url);
    await prepare(await proxy.location(url));
    url.searchParams.delete('schema');
    db = new Client({ connectionString: url.href });
    await db.connect();
    undo.push(async () => {
      proxy.become('open');
      await db.query(`DROP SCHEMA IF EXISTS "${SCHEMA}" CASCADE`);
      await db.end();
      await proxy.close();
    });
  });

  /** Ends with calls in flight, and the server gone. */
  async function begun(way: 'cut' | 'stalled'): Promise<ReturnType<typeof start>> {
    const child = start(['run', 'manifest.json', '--json'], { cwd: place.dir, env });
    undo.push(() => child.kill('SIGKILL'));
    await until(() => provider.served.length === CONCURRENCY);
    proxy.become(way);
    return child;
  }

  async function expectPaidOnce(): Promise<void> {
    expect(provider.served.length).toBe(DOCUMENTS);
    const { rows } = await db.query(`SELECT state, count(*)::int AS calls FROM "${SCHEMA}".calls GROUP BY state`);
    expect(rows).toEqual([{ state: 'settled', calls: DOCUMENTS }]);
    expect(spools()).toEqual([]);
  }

  test.each(['cut', 'stalled'] as const)(
    'waits for it, keeps what is answered meanwhile, and asks nothing twice: %s',
    TEST,
    async (way) => {
      const child = await begun(way);
      const end = ended(child);
      let told = '';
      child.stdout?.on('data', (text: string) => {
        told += text;
      });
      await Promise.all([pause(2 * LEASE.ttlMs), until(() => told.includes('waiting for it'))]);
      release();
      await until(() => kept() === CONCURRENCY);
      // Another process of this machine takes no part of it from the living one.
      const second = ended(start(['worker', '--exit-when-idle'], { cwd: place.dir, env }));
      proxy.become('open');
      const first = await end;
      expectClean(first);
      expectClean(await second);
      const news = first.stdout.split('\n').filter((line) => line.includes('"warning"'));
      expect([times(news.join(), 'waiting for it'), times(news.join(), 'can be used again')]).toEqual([1, 1]);
      expect(lastRecord(first.stdout)).toMatchObject({ exitCode: 0 });
      await expectPaidOnce();
    },
  );

  test.each(['cut', 'stalled'] as const)(
    'ends cleanly by Ctrl-C, says what is kept where, and the next command takes that in: %s',
    TEST,
    async (way) => {
      const child = await begun(way);
      const end = ended(child);
      release();
      await until(() => kept() === CONCURRENCY);
      const askedAtMs = Date.now();
      child.kill('SIGINT');
      const { exitCode, stderr } = await end;
      expect(exitCode).toBe(130);
      expect(Date.now() - askedAtMs).toBeLessThan(LEAVES_WITHIN_MS);
      expect(stderr).toMatch(/error\[E40\]: postgres:\/\/127.* does not answer/);
      expect(stderr).toContain('next: to go on then: aieval run manifest.json\n');
      expect(stderr).toContain(
        `${CONCURRENCY} paid answers kept in ${spools()[0]}; the next command on this machine that can write the database takes them in`,
      );
      proxy.become('open');
      const next = await ended(start(['run', 'manifest.json'], { cwd: place.dir, env }));
      expect(next.stderr).toMatch(new RegExp(`note: ${CONCURRENCY} paid answers taken in from `));
      expectClean(next);
      await expectPaidOnce();
    },
  );

  test('says how to go on also when it is to end at once', TEST, async () => {
    const child = await begun('cut');
    const end = ended(child);
    let told = '';
    child.stdout?.on('data', (text: string) => {
      told += text;
    });
    child.kill('SIGINT');
    await until(() => told.includes('"stopping"'));
    child.kill('SIGINT');
    const { exitCode, stderr } = await end;
    expect([exitCode, stderr]).toEqual([130, expect.stringContaining('next: to go on then: aieval run manifest.json\n')]);
    release();
    proxy.become('open');
    expectClean(await ended(start(['run', 'manifest.json'], { cwd: place.dir, env })));
  });

  const FOLLOWERS = [
    ['logs', '--follow'],
    ['status', '--watch', '--interval', '0.2'],
  ];

  /** Somebody who has seen something of a run of another process, and whose way to the server is gone then. */
  async function follower(args: readonly string[]) {
    const near = { ...env, AIEVAL_STORE: await schemaUrl(SCHEMA) };
    const run = start(['run', 'manifest.json'], { cwd: place.dir, env: near });
    undo.push(() => run.kill('SIGKILL'));
    const child = await seeing(args);
    const heard = { text: '' };
    child.stderr?.on('data', (text: string) => {
      heard.text += text;
    });
    const end = ended(child);
    proxy.become('cut');
    const hears = (words: string) => until(() => heard.text.includes(words) || child.exitCode !== null);
    await hears('waiting for it');
    return { run: ended(run), child, end, hears };
  }

  async function seeing(args: readonly string[]): Promise<ReturnType<typeof start>> {
    await until(() => provider.served.length === CONCURRENCY);
    const child = start(args, { cwd: place.dir, env });
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    return child;
  }

  test.each(FOLLOWERS)('is followed all the same: %s %s waits as a run does, says so, and goes on', TEST, async (...args) => {
    const { run, end, hears } = await follower(args);
    proxy.become('open');
    await hears('can be used again');
    release();
    expectClean(await run);
    const { exitCode, stderr } = await end;
    expect(stderr).toMatch(
      /^note: postgres:.* does not answer .*; waiting for it, for at most 10m.*\nnote: postgres:.* can be used again.*\n$/,
    );
    expect(exitCode).toBe(0);
  });

  test.each(FOLLOWERS)('is not waited for by a follower who is to end: %s %s', TEST, async (...args) => {
    const { child, end } = await follower(args);
    child.kill('SIGINT');
    expect(await end).toMatchObject({ exitCode: 130, stderr: expect.not.stringContaining('error') });
  });

  test('loses nothing that was answered when it is killed meanwhile', TEST, async () => {
    const child = await begun('cut');
    const end = ended(child);
    release();
    await until(() => kept() === CONCURRENCY);
    child.kill('SIGKILL');
    await end;
    proxy.become('open');
    expectClean(await ended(start(['run', 'manifest.json'], { cwd: place.dir, env })));
    await expectPaidOnce();
  });
});

test('a run and its workers outlive a restart of the server, and a crash of it', TEST, async () => {
  const server = new OwnServer();
  undo.push(() => server.remove());
  await server.start();
  await prepare(server.url('aieval').href);
  const run = ended(start(['run', 'manifest.json', '--json'], { cwd: place.dir, env }));
  await until(() => provider.served.length === CONCURRENCY);
  const worker = ended(start(['worker', 'latest'], { cwd: place.dir, env }));
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    await server.stop(signal);
    await pause(LEASE.ttlMs);
    await server.start();
    await pause(LEASE.ttlMs);
  }
  release();
  expectClean(await run);
  expectClean(await worker);
  expect(provider.served.length).toBe(DOCUMENTS);
});
