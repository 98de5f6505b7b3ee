import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LeaseWatch } from '../../../src/store/lease-watch.ts';
import { openPool, postgresPlace } from '../../../src/store/postgres/connection.ts';
import { NO_LOCKS } from '../../../src/store/postgres/locks.ts';
import { Transactor } from '../../../src/store/postgres/transactor.ts';
import { Clock } from '../bench.ts';
import { type PostgresBench, TestSchemas } from './open-store.ts';
import { BreakingProxy } from './proxy.ts';

/** On a busy machine; nobody who asked a process to end waits for longer. */
const SOON_MS = 13_000;
const TEST = { timeout: 60_000 };

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

describe('somebody who wants to leave', () => {
  const clock = new Clock();
  let opened: PostgresBench;
  let proxy: BreakingProxy;
  let transactor: Transactor;

  beforeEach(async () => {
    opened = await schemas.open(clock.read);
    proxy = new BreakingProxy(new URL(opened.location));
    const place = postgresPlace(await proxy.location(new URL(opened.location)));
    const patience = { patienceMs: 600_000, onServer: () => undefined };
    const context = { clock: null, random: () => 0.5, newToken: () => crypto.randomUUID(), watch: new LeaseWatch(clock.read), patience };
    transactor = new Transactor(openPool(place), place, context);
    await opened.db.query('CREATE TABLE IF NOT EXISTS noted (name text PRIMARY KEY)');
    await opened.db.query('DELETE FROM noted');
  });
  afterEach(async () => {
    await transactor.close();
    await proxy.close();
    await opened.dispose();
  });

  const read = () => transactor.read(({ sql }) => sql.all('SELECT 1 AS one'));
  const write = () => transactor.write(NO_LOCKS, ({ sql }) => sql.run(`INSERT INTO noted VALUES ('a') ON CONFLICT DO NOTHING`));
  const inOneLine = () => transactor.write({ ...NO_LOCKS, line: 'one' }, ({ sql }) => sql.run(`INSERT INTO noted VALUES ('b')`));

  /** How often the database waits for a lock. */
  const lockWaits = async () => (await opened.db.query('SELECT 1 FROM pg_locks WHERE NOT granted')).rowCount ?? 0;

  it.each(['soon', 'now'] as const)('waits for a server that fell silent once, not with all that is still to do: %s', TEST, async (how) => {
    await Promise.all([read(), read()]);
    proxy.become('stalled');
    const waiting = [read(), read(), write()].map((one) => one.catch((error: unknown) => error));
    await pause(50);
    const startedAtMs = performance.now();
    transactor.hurry(how);
    for (const failed of await Promise.all(waiting)) expect(failed).toMatchObject({ code: 'E40', exitCode: 8 });
    for (const operation of [read, write, inOneLine, write]) await expect(operation()).rejects.toMatchObject({ code: 'E40' });
    await transactor.close();
    expect(performance.now() - startedAtMs).toBeLessThan(SOON_MS);
  });

  it('does not wait for a look at a silent server that was begun before', TEST, async () => {
    await read();
    proxy.become('stalled');
    const waiting = read().catch((error: unknown) => error);
    const { tried } = proxy;
    while (proxy.tried === tried) await pause(50);
    await pause(3500);
    const startedAtMs = performance.now();
    transactor.hurry('soon');
    expect(await waiting).toMatchObject({ code: 'E40' });
    expect(performance.now() - startedAtMs).toBeLessThan(4000);
  });

  it('uses a server again that is back before the last call is answered', TEST, async () => {
    await read();
    proxy.become('stalled');
    transactor.hurry('soon');
    await expect(read()).rejects.toMatchObject({ code: 'E40' });
    proxy.become('open');
    while (!(await write().catch(() => null))) await pause(200);
    expect((await opened.db.query('SELECT name FROM noted')).rows).toEqual([{ name: 'a' }]);
  });

  it('has what waits for a lock already cancelled, and leaves nothing of it behind at the server', TEST, async () => {
    await opened.db.query('BEGIN; LOCK TABLE noted IN ACCESS EXCLUSIVE MODE');
    const waiting = [write(), inOneLine(), inOneLine(), inOneLine(), inOneLine()].map((one) => one.catch((error: unknown) => error));
    while ((await lockWaits()) < 2) await pause(50);
    const startedAtMs = performance.now();
    transactor.hurry('now');
    for (const failed of await Promise.all(waiting)) expect(failed).toMatchObject({ code: 'E21', exitCode: 8 });
    expect(performance.now() - startedAtMs).toBeLessThan(7000);
    expect(await lockWaits()).toBe(0);
    await opened.db.query('COMMIT');
  });

  it('still waits for a lock as long as others while there is time for calls in flight', TEST, async () => {
    await opened.db.query('BEGIN; LOCK TABLE noted IN ACCESS EXCLUSIVE MODE');
    transactor.hurry('soon');
    const waiting = write();
    while ((await lockWaits()) < 1) await pause(50);
    await pause(7000);
    await opened.db.query('COMMIT');
    expect(await waiting).toBe(1);
  });
});
