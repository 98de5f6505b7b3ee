import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../../../src/store/postgres/open.ts';
import { Bench, Clock } from '../../bench.ts';
import { job, settings, worker } from '../../rows.ts';
import { options, type PostgresBench, TestSchemas } from '../open-store.ts';
import { OwnServer } from '../server.ts';

const HOLDER = fileURLToPath(new URL('./hold.mjs', import.meta.url));
const heartbeatThread = new URL('../../../../dist/store/postgres/workers/heartbeat-thread.js', import.meta.url);
const live = { clock: null, monotonic: () => performance.now(), newToken: randomUUID, heartbeatThread };

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** A process of another machine that holds the step of `r1`. */
async function holder(location: string): Promise<ChildProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'aieval-watched-'));
  undo.push(() => rmSync(folder, { recursive: true }));
  const child = spawn(process.execPath, [HOLDER, location, 'r1', 'other', join(folder, 'spool'), 'boot-2'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  undo.push(() => child.kill('SIGKILL'));
  const [said] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  expect(String(said)).toBe('held\n');
  return child;
}

/** A process that is there for so long, and asks for work before it leaves. */
async function observer(location: string, ms: number): Promise<string> {
  const store = await openPostgresStore({ ...options(location, Date.now), ...live });
  const own = worker(randomUUID());
  await store.registerWorker(own);
  await pause(ms);
  const { kind } = await store.claim({ runId: 'r1', workerId: own.workerId });
  await store.removeWorker(own.workerId);
  await store.close();
  return kind;
}

describe('the lease of a worker that died elsewhere', { timeout: 300_000 }, () => {
  const LEASE = { ttlMs: 6000, beatMs: 1500, deadlineMs: 600_000 };
  let opened: PostgresBench;
  beforeEach(async () => {
    opened = await schemas.open(Date.now, { ...live, heartbeatThread: null });
    undo.push(() => opened.dispose());
    await new Bench(opened.store, new Clock()).plan('r1', [job('j1', 0)], { settings: settings({ lease: LEASE }) });
  });

  const watched = async () => (await opened.db.query<{ ms: string }>('SELECT watched_ms AS ms FROM watched_leases')).rows;

  it('is taken by processes that stay too shortly each, when together they have watched it for as long as it lasts', async () => {
    const other = await holder(opened.location);
    other.kill('SIGKILL');
    const startedAtMs = performance.now();
    const kinds: string[] = [];
    while (kinds.at(-1) !== 'claimed') kinds.push(await observer(opened.location, LEASE.ttlMs / 2));
    expect(kinds.length).toBeGreaterThan(1);
    expect(performance.now() - startedAtMs).toBeGreaterThan(LEASE.ttlMs);
    const [lost] = (await opened.store.jobRecord('r1', 'j1'))?.attempts ?? [];
    expect(lost).toMatchObject({ outcome: 'lost', failure: { reason: 'worker_lost' } });
    await observer(opened.location, 0);
    expect(await watched()).toEqual([]);
  });

  it('is told with how long it has to be watched yet', async () => {
    const other = await holder(opened.location);
    other.kill('SIGKILL');
    const takeover = async () => (await opened.store.workers()).find(({ workerId }) => workerId === 'other')?.takeover;
    expect((await takeover())?.watchMs).toBe(LEASE.ttlMs);
    while (((await takeover())?.watchMs ?? 0) === LEASE.ttlMs) await observer(opened.location, 2000);
    const { watchMs = 0, expiresAtMs = 0 } = (await takeover()) ?? {};
    expect(watchMs).toBeGreaterThan(0);
    expect(expiresAtMs).toBeLessThan(Date.now());
  });

  it('that is renewed is watched anew', async () => {
    const other = await holder(opened.location);
    other.kill('SIGSTOP');
    while ((await watched()).length === 0) expect(await observer(opened.location, 1500)).not.toBe('claimed');
    other.kill('SIGCONT');
    const takeover = async () => (await opened.store.workers()).find(({ workerId }) => workerId === 'other')?.takeover;
    while (((await takeover())?.expiresAtMs ?? 0) < Date.now()) await pause(50);
    expect((await takeover())?.watchMs).toBe(LEASE.ttlMs);
    expect(await observer(opened.location, 1500)).toBe('busy');
  });

  it('leaves no trace of having been watched when it has ended otherwise', async () => {
    const other = await holder(opened.location);
    const [{ token = '' } = {}] = (await opened.db.query<{ token: string }>('SELECT lease_token AS token FROM steps')).rows;
    await opened.db.query(`INSERT INTO watched_leases VALUES ('ended', 1, 1), ($1, 1, 1)`, [token]);
    await opened.store.registerWorker(worker('w9'));
    expect((await opened.db.query('SELECT lease_token FROM watched_leases')).rows).toEqual([{ lease_token: token }]);
    other.kill('SIGKILL');
  });
});

describe('a server that restarts under workers that live', { timeout: 300_000 }, () => {
  const LEASE = { ttlMs: 8000, beatMs: 2000, deadlineMs: 600_000 };

  it('takes nothing from them, whoever comes as soon as it is back, and however often it was away', async () => {
    const server = new OwnServer();
    undo.push(() => server.remove());
    await server.start();
    const location = server.url('aieval').href;
    const store = await openPostgresStore({ ...options(location, Date.now), ...live, heartbeatThread: null });
    await new Bench(store, new Clock()).plan('r1', [job('j1', 0)], { settings: settings({ lease: LEASE }) });
    await store.close();
    await holder(location);
    const kinds: string[] = [];
    for (const signal of ['SIGINT', 'SIGQUIT', 'SIGINT'] as const) {
      await server.stop(signal);
      // Long over by the server's clock.
      await pause(1.5 * LEASE.ttlMs);
      await server.start();
      for (let at = 0; at < 4; at += 1) kinds.push(await observer(location, 500));
    }
    expect(new Set(kinds)).toEqual(new Set(['busy']));
  });
});
