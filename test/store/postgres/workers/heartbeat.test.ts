import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { Bench, Clock } from '../../bench.ts';
import { job, settings } from '../../rows.ts';
import { type PostgresBench, TestSchemas } from '../open-store.ts';

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
