import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { Claim } from '../../../../src/store/work.ts';
import { Bench, Clock } from '../../bench.ts';
import { job, settings, worker } from '../../rows.ts';
import { openTempStore, type SqliteBench } from '../open-store.ts';

const THREAD = new URL('../../../../dist/store/sqlite/workers/heartbeat-thread.js', import.meta.url);
const HOLDER = fileURLToPath(new URL('./hold.mjs', import.meta.url));
/** Far longer than any test: nothing here waits for a lease to run out. */
const LEASE = { ttlMs: 600_000, beatMs: 150_000, deadlineMs: 1_800_000 };

describe('the lock of a worker', () => {
  let opened: SqliteBench;
  let child: ChildProcess | undefined;
  afterEach(async () => {
    child?.kill('SIGKILL');
    await opened.dispose();
  });

  async function bench(): Promise<Bench> {
    opened = await openTempStore(Date.now, { newToken: randomUUID });
    return new Bench(opened.store, new Clock());
  }

  /** A process that claims one step of `r1`, sends its call, and keeps it. */
  async function holder(): Promise<ChildProcess> {
    const started = spawn(process.execPath, [HOLDER, opened.path, 'r1', 'other'], { stdio: ['ignore', 'pipe', 'inherit'] });
    child = started;
    await once(started.stdout, 'data');
    return started;
  }

  /** Claims until something is given, or `tries` looks, a second apart, gave nothing. */
  async function claimed(store: Bench['store'], tries: number): Promise<Claim | null> {
    for (let look = 0; look < tries; look += 1) {
      const reply = await store.claim({ runId: 'r1', workerId: 'w1' });
      if (reply.kind === 'claimed') return reply.claim;
      await new Promise((resolve) => setTimeout(resolve, 1010));
    }
    return null;
  }

  it('is free once its process was killed: its work is taken over long before the lease ends', async () => {
    const store = await planned();
    const other = await holder();
    other.kill('SIGKILL');
    await once(other, 'close');
    const claim = await claimed(store, 10);
    expect(claim?.work).toMatchObject({ kind: 'call', attempts: 1 });
    const record = await store.jobRecord('r1', 'j1');
    expect(record?.attempts).toMatchObject([{ outcome: 'lost', failure: { reason: 'worker_lost' } }]);
    expect(record?.calls.map(({ state }) => state)).toContain('unknown');
    expect((await store.workers()).map(({ workerId }) => workerId)).not.toContain('other');
  });

  it('is held while its process is frozen: nothing is taken from it', async () => {
    const store = await planned();
    const other = await holder();
    other.kill('SIGSTOP');
    expect(await claimed(store, 3)).toBeNull();
    other.kill('SIGCONT');
  });

  it('goes with its worker, and old ones of killed workers are swept', async () => {
    const store = await planned();
    const folder = `${opened.path}.workers`;
    mkdirSync(folder, { recursive: true });
    const old = join(folder, 'old.lock');
    writeFileSync(old, '');
    utimesSync(old, new Date(0), new Date(0));
    await store.registerWorker(worker('w9'));
    expect(existsSync(old)).toBe(false);
    expect(readdirSync(folder)).toContain('w9.lock');
    await store.removeWorker('w9');
    expect(readdirSync(folder)).not.toContain('w9.lock');
  });

  it('is made anew when somebody removes it, so that its worker does not look gone', async () => {
    opened = await openTempStore(Date.now, { heartbeatThread: THREAD, newToken: randomUUID });
    await opened.store.registerWorker(worker('w1'));
    const other = await opened.another();
    const alive = async () => (await other.workers()).map((row) => row.alive);
    rmSync(`${opened.path}.workers`, { recursive: true });
    expect(await alive()).toEqual([false]);
    while (!(await alive())[0]) await new Promise((resolve) => setTimeout(resolve, 50));
  });

  it('that cannot be asked for, or be removed, keeps nobody from looking or from leaving', async () => {
    const store = await planned();
    // A folder in the place of its file can be neither opened as a database nor unlinked.
    const file = `${opened.path}.workers/w2.lock`;
    rmSync(file);
    mkdirSync(file);
    expect((await store.workers()).map(({ alive }) => alive)).toEqual([true, true, true]);
    const other = await opened.another();
    expect((await other.workers()).map(({ alive }) => alive)).toEqual([true, true, true]);
    await store.removeWorker('w2');
    expect((await store.workers()).map(({ workerId }) => workerId)).toEqual(['w1', 'w3']);
  });

  async function planned(): Promise<Bench['store']> {
    const made = await bench();
    await made.plan('r1', [job('j1', 0)], { settings: settings({ lease: LEASE }) });
    return made.store;
  }
});
