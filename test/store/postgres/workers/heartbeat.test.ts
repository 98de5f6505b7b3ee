import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../../../src/store/postgres/open.ts';
import { Bench, Clock } from '../../bench.ts';
import { job, settings, worker } from '../../rows.ts';
import { options, type PostgresBench, TestSchemas } from '../open-store.ts';
import { BreakingProxy } from '../proxy.ts';

const heartbeatThread = new URL('../../../../dist/store/postgres/workers/heartbeat-thread.js', import.meta.url);

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

describe('the heartbeat of a worker on PostgreSQL', () => {
  let opened: PostgresBench;
  afterEach(() => opened.dispose());

  /** By the server's clock, as in production. */
  const live = { clock: null, monotonic: () => performance.now(), newToken: randomUUID, heartbeatThread };

  async function open(): Promise<Bench> {
    opened = await schemas.open(Date.now, live);
    return new Bench(opened.store, new Clock());
  }

  const expiry = async () => (await opened.db.query<{ at: number }>('SELECT lease_expires_at_ms AS at FROM steps')).rows[0]?.at ?? null;

  async function untilRenewed(since: number | null): Promise<void> {
    while ((await expiry()) === since) await pause(20);
  }

  /** Blocks this thread, as a long parse would; the heartbeat is on its own. */
  function block(ms: number): void {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  }

  it('keeps a lease alive while the main loop is blocked', async () => {
    const bench = await open();
    const lease = { ttlMs: 2000, beatMs: 100, deadlineMs: 60_000 };
    await bench.plan('r1', [job('j1', 0)], { settings: settings({ lease }) });
    const claim = await bench.claimed('r1', 'w1');
    await untilRenewed(await expiry());
    block(2500);
    expect((await bench.claim('r1', 'w2')).kind).toBe('busy');
    expect(await bench.store.markSent(claim.token)).toBe(true);
  });

  it('lets go of a step past its deadline, which is charged to the step alone', async () => {
    const bench = await open();
    // Long enough for a thread that a busy machine lets wait.
    const lease = { ttlMs: 4000, beatMs: 50, deadlineMs: 100 };
    await bench.plan('r1', [job('j1', 0)], { settings: settings({ lease }) });
    await bench.claimed('r1', 'w1');
    while ((await bench.claim('r1', 'w2')).kind !== 'claimed') await pause(20);
    expect((await bench.store.jobRecord('r1', 'j1'))?.attempts).toMatchObject([{ outcome: 'lost', failure: { reason: 'deadline' } }]);
  });

  it('goes on after the server has ended its connection', async () => {
    const bench = await open();
    await bench.plan('r1', [job('j1', 0)], { settings: settings({ lease: { ttlMs: 5000, beatMs: 100, deadlineMs: 60_000 } }) });
    await bench.claimed('r1', 'w1');
    await untilRenewed(await expiry());
    expect(await opened.endConnections()).toBeGreaterThan(0);
    await untilRenewed(await expiry());
    expect((await bench.claim('r1', 'w2')).kind).toBe('busy');
  });

  it('stops with its worker, whose lease then runs out and is taken', async () => {
    const bench = await open();
    await bench.plan('r1', [job('j1', 0)], { settings: settings({ lease: { ttlMs: 600, beatMs: 100, deadlineMs: 60_000 } }) });
    const claim = await bench.claimed('r1', 'w1');
    await opened.store.close();
    const other = new Bench(await opened.another(live), new Clock());
    let reply = await other.claim('r1', 'w2');
    while (reply.kind !== 'claimed') {
      await pause(50);
      reply = await other.claim('r1', 'w2');
    }
    expect(reply.claim.stepId).toBe(claim.stepId);
    expect((await other.store.jobRecord('r1', 'j1'))?.attempts).toMatchObject([{ outcome: 'lost', failure: { reason: 'worker_lost' } }]);
  });
});

describe('the heartbeat of a worker whose way to the server breaks', () => {
  const live = { clock: null, monotonic: () => performance.now(), newToken: randomUUID, heartbeatThread };
  const TTL_MS = 9000;

  it('renews in time though its connection, and each new one for a while, leads nowhere', { timeout: 120_000 }, async () => {
    const opened = await schemas.open(Date.now, live);
    const url = new URL(opened.location);
    const proxy = new BreakingProxy(url);
    const bench = new Bench(await openPostgresStore({ ...options(await proxy.location(url), Date.now), ...live }), new Clock());
    const lease = { ttlMs: TTL_MS, beatMs: TTL_MS / 4, deadlineMs: 600_000 };
    await bench.plan('r1', [job('j1', 0)], { settings: settings({ lease }) });
    await bench.claimed('r1', 'w1');
    const beat = async () =>
      (await opened.db.query<{ at: number }>(`SELECT beat_at_ms AS at FROM workers WHERE worker_id = 'w1'`)).rows[0]?.at ?? 0;
    for (let before = await beat(); (await beat()) === before; ) await pause(20);

    const before = await beat();
    proxy.become('stalled');
    await pause(TTL_MS / 3);
    proxy.become('open');
    while ((await beat()) === before) await pause(20);
    // The silence itself, and less than a third of a lease besides; the rest is for a busy machine.
    expect((await beat()) - before).toBeLessThan(TTL_MS);
    await bench.store.close();
    await proxy.close();
    await opened.dispose();
  });

  it('takes no lease of another process that could not renew either, however long the server was away', { timeout: 120_000 }, async () => {
    const opened = await schemas.open(Date.now, live);
    const url = new URL(opened.location);
    const proxy = new BreakingProxy(url);
    const through = await proxy.location(url);
    const patience = { patienceMs: 600_000, onServer: () => undefined };
    const open = async () => new Bench(await openPostgresStore({ ...options(through, Date.now), ...live, patience }), new Clock());
    const [one, other] = [await open(), await open()];
    const lease = { ttlMs: 2000, beatMs: 500, deadlineMs: 600_000 };
    await one.plan('r1', [job('j1', 0)], { settings: settings({ lease }) });
    const held = await one.claimed('r1', 'w1');
    await other.store.registerWorker(worker('w9'));
    await one.store.markSent(held.token);
    // The other one watches the lease before, meanwhile and after.
    const claims: string[] = [];
    let watching = true;
    const watched = (async () => {
      while (watching) claims.push((await other.claim('r1', 'w9')).kind);
    })();
    for (const way of ['cut', 'stalled', 'cut'] as const) {
      proxy.become(way);
      await pause(3 * lease.ttlMs);
      proxy.become('open');
      for (const seen = claims.length; claims.length < seen + 20; ) await pause(50);
    }
    watching = false;
    await watched;
    expect(new Set(claims)).toEqual(new Set(['busy']));
    expect(await one.store.holdsLease(held.token)).toBe(true);
    for (const { store } of [one, other]) await store.close();
    await proxy.close();
    await opened.dispose();
  });
});
