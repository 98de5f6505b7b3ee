import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { Bench, Clock } from '../../bench.ts';
import { job, settings, worker } from '../../rows.ts';
import { openTempStore, type SqliteBench } from '../open-store.ts';

const THREAD = new URL('../../../../dist/store/sqlite/workers/heartbeat-thread.js', import.meta.url);

describe('heartbeat', () => {
  let opened: SqliteBench;
  afterEach(() => opened.dispose());

  async function openWith(heartbeatThread: URL, onHeartbeatLost: (error: Error) => void = () => undefined): Promise<Bench> {
    opened = await openTempStore(Date.now, { heartbeatThread, onHeartbeatLost, newToken: randomUUID });
    return new Bench(opened.store, new Clock());
  }

  const expiry = () => opened.db.prepare('SELECT lease_expires_at_ms FROM steps').pluck().get();

  /** Blocks this thread, as a long parse would; the heartbeat is on its own. */
  function block(ms: number): void {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  }

  it('keeps a lease alive while the main loop is blocked', async () => {
    const bench = await openWith(THREAD);
    const lease = { ttlMs: 2000, beatMs: 100, deadlineMs: 60_000 };
    await bench.plan('r1', [job('j1', 0)], { settings: settings({ lease }) });
    const claim = await bench.claimed('r1', 'w1');
    const first = expiry();
    while (expiry() === first) await new Promise((resolve) => setTimeout(resolve, 20));
    block(2500);
    expect(Date.now()).toBeGreaterThan(claim.claimedAtMs + lease.ttlMs);
    expect((await bench.claim('r1', 'w2')).kind).toBe('busy');
    expect(await bench.store.markSent(claim.token)).toBe(true);
  });

  it('lets go of a step past its deadline, which is charged to the step alone', async () => {
    const bench = await openWith(THREAD);
    const lease = { ttlMs: 1500, beatMs: 50, deadlineMs: 100 };
    await bench.plan('r1', [job('j1', 0)], { settings: settings({ lease }) });
    await bench.claimed('r1', 'w1');
    let reply = await bench.claim('r1', 'w2');
    while (reply.kind !== 'claimed') {
      await new Promise((resolve) => setTimeout(resolve, 20));
      reply = await bench.claim('r1', 'w2');
    }
    expect((await bench.store.jobRecord('r1', 'j1'))?.attempts).toMatchObject([{ outcome: 'lost', failure: { reason: 'deadline' } }]);
  });

  it('renews leases that were given before the clock was set ahead, while the thread was being started', async () => {
    const startedAtMs = Date.now() - 3_600_000;
    opened = await openTempStore(() => startedAtMs);
    const bench = new Bench(opened.store, new Clock());
    await bench.plan('r1', [job('j1', 0)]);
    await bench.claimed('r1', 'w1');
    const thread = new Worker(THREAD, { workerData: { path: opened.path, workerId: 'w1', startedAtMs, mainIsDeadMs: 60_000 } });
    while (!(await opened.store.workers()).some(({ beatAtMs }) => beatAtMs > startedAtMs))
      await new Promise((resolve) => setTimeout(resolve, 5));
    await thread.terminate();
    expect(expiry()).toBeGreaterThan(Date.now());
  });

  it('beats again after the main loop was silent for too long, as it is when the whole process was frozen', async () => {
    opened = await openTempStore(Date.now);
    await opened.store.registerWorker(worker('w1'));
    const thread = new Worker(THREAD, { workerData: { path: opened.path, workerId: 'w1', startedAtMs: Date.now(), mainIsDeadMs: 100 } });
    const tick = () => thread.postMessage({ beatMs: 20 });
    const beatAtMs = async () => (await opened.store.workers())[0]?.beatAtMs ?? 0;
    const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    const started = await beatAtMs();
    while ((await beatAtMs()) === started) {
      tick();
      await sleep(5);
    }
    while (Date.now() - (await beatAtMs()) < 300) await sleep(20);
    const silent = await beatAtMs();
    while ((await beatAtMs()) === silent) {
      tick();
      await sleep(5);
    }
    await thread.terminate();
  });

  it('says so when it cannot run, and refuses further claims', async () => {
    const lost: Error[] = [];
    const bench = await openWith(new URL('./none.js', THREAD), (error) => lost.push(error));
    await bench.plan('r1', [job('j1', 0)]);
    // Each of the three workers has a thread of its own, and they fail in any order.
    while (lost.length < 3) await new Promise((resolve) => setImmediate(resolve));
    for (const error of lost) expect(error.message).toContain('none.js');
    await expect(bench.claim('r1', 'w1')).rejects.toThrow('Leases are no longer renewed');
  });

  it('stops with its worker', async () => {
    const lost: Error[] = [];
    const bench = await openWith(THREAD, (error) => lost.push(error));
    await bench.plan('r1', [job('j1', 0)]);
    await bench.store.removeWorker('w1');
    expect((await bench.store.workers()).map((row) => row.workerId)).toEqual(['w2', 'w3']);
    expect(lost).toEqual([]);
  });
});
