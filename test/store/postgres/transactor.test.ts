import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LeaseWatch } from '../../../src/store/lease-watch.ts';
import { openPool, postgresPlace } from '../../../src/store/postgres/connection.ts';
import { NO_LOCKS, runLocks } from '../../../src/store/postgres/locks.ts';
import { openPostgresStore } from '../../../src/store/postgres/open.ts';
import { Transactor } from '../../../src/store/postgres/transactor.ts';
import type { ServerNews } from '../../../src/store/server-news.ts';
import { Bench, Clock } from '../bench.ts';
import { completion, document, jobOfKey, newRun } from '../rows.ts';
import { options, type PostgresBench, TestSchemas } from './open-store.ts';
import { BreakingProxy } from './proxy.ts';

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

describe('a transaction on PostgreSQL', () => {
  const clock = new Clock();
  let opened: PostgresBench;
  let transactor: Transactor;
  let lockRetries = 0;

  beforeEach(async () => {
    opened = await schemas.open(clock.read);
    const place = postgresPlace(opened.location);
    const watch = new LeaseWatch(clock.read);
    lockRetries = 0;
    const onLockRetry = () => {
      lockRetries += 1;
    };
    transactor = new Transactor(openPool(place), place, {
      clock: null,
      random: () => 0.5,
      newToken: () => crypto.randomUUID(),
      watch,
      onLockRetry,
    });
    await opened.db.query('CREATE TABLE IF NOT EXISTS noted (name text PRIMARY KEY, times int NOT NULL)');
    await opened.db.query('DELETE FROM noted');
  });
  afterEach(async () => {
    await transactor.close();
    await opened.dispose();
  });

  const NOTE = `INSERT INTO noted AS n (name, times) VALUES (:name, 1) ON CONFLICT (name) DO UPDATE SET times = n.times + 1`;
  const noted = async () => (await opened.db.query('SELECT name, times FROM noted ORDER BY name')).rows;

  it('reads what is committed, and waits for the disk, whatever the server is set to', async () => {
    await opened.db.query(`ALTER ROLE postgres SET default_transaction_isolation = 'serializable'`);
    await opened.db.query(`ALTER ROLE postgres SET synchronous_commit = 'off'`);
    try {
      const set = await transactor.write(NO_LOCKS, ({ sql }) =>
        sql.one(`SELECT current_setting('transaction_isolation') AS isolation, current_setting('synchronous_commit') AS commits,
          current_setting('lock_timeout') AS locks, current_setting('idle_in_transaction_session_timeout') AS idle`),
      );
      expect(set).toEqual({ isolation: 'read committed', commits: 'on', locks: '10s', idle: '5s' });
    } finally {
      await opened.db.query('ALTER ROLE postgres RESET ALL');
    }
  });

  it('says when it is tried again for a lock, and not when it is for something else', async () => {
    const failures = ['55P03', '40P01', '40001'];
    await transactor.write(NO_LOCKS, ({ sql }) => {
      const code = failures.shift();
      if (code !== undefined) sql.send(`DO $$ BEGIN RAISE SQLSTATE '${code}'; END $$`);
      sql.send(NOTE, { name: 'a' });
    });
    expect([await noted(), lockRetries]).toEqual([[{ name: 'a', times: 1 }], 2]);
  });

  it('that fails leaves nothing, and tells what failed first', async () => {
    const failing = transactor.write(NO_LOCKS, async ({ sql }) => {
      sql.send(NOTE, { name: 'a' });
      sql.send('SELECT 1 / 0');
      return sql.one(`SELECT 1 AS found`);
    });
    await expect(failing).rejects.toThrow('division by zero');
    expect(await noted()).toEqual([]);
  });

  it('that changes another number of rows than one, where one is expected, is undone', async () => {
    const failing = transactor.write(NO_LOCKS, ({ sql }) => {
      sql.send(NOTE, { name: 'a' });
      sql.sendOne('UPDATE noted SET times = 5 WHERE name = :name', { name: 'b' });
    });
    await expect(failing).rejects.toThrow('Expected one row to change, got 0');
    expect(await noted()).toEqual([]);
  });

  it('reads the clock when its locks are held, not when it began', async () => {
    await new Bench(opened.store, clock).plan('r1', []);
    await opened.db.query(`BEGIN; SELECT 1 FROM runs WHERE run_id = 'r1' FOR UPDATE`);
    const seen = transactor.write(runLocks('r1'), ({ nowMs }) => nowMs);
    while ((await opened.db.query('SELECT 1 FROM pg_locks WHERE NOT granted')).rowCount === 0) await pause(10);
    await pause(300);
    const { rows } = await opened.db.query<{ now_ms: number }>(
      'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms',
    );
    await opened.db.query('COMMIT');
    expect(await seen).toBeGreaterThanOrEqual(rows[0]?.now_ms ?? Number.POSITIVE_INFINITY);
  });

  it('is done again after a deadlock, which nobody hears of', async () => {
    await transactor.write(NO_LOCKS, ({ sql }) => {
      for (const name of ['a', 'b']) sql.send(NOTE, { name });
    });
    const inOrder = (first: string, second: string) =>
      transactor.write(NO_LOCKS, async ({ sql }) => {
        await sql.run(NOTE, { name: first });
        await pause(50);
        await sql.run(NOTE, { name: second });
      });
    await Promise.all([inOrder('a', 'b'), inOrder('b', 'a')]);
    expect(await noted()).toEqual([
      { name: 'a', times: 3 },
      { name: 'b', times: 3 },
    ]);
  });

  it('is done again when its server process is ended', async () => {
    let tries = 0;
    await transactor.write(NO_LOCKS, async ({ sql }) => {
      tries += 1;
      const pid = (await sql.one<{ pid: number }>('SELECT pg_backend_pid() AS pid'))?.pid;
      if (tries === 1) await opened.db.query('SELECT pg_terminate_backend($1)', [pid]);
      await sql.run(NOTE, { name: 'a' });
    });
    expect(tries).toBe(2);
    expect(await noted()).toEqual([{ name: 'a', times: 1 }]);
  });

  it('is done again when its statement is cancelled, which nobody hears of', async () => {
    let tries = 0;
    await transactor.write(NO_LOCKS, async ({ sql }) => {
      tries += 1;
      const pid = (await sql.one<{ pid: number }>('SELECT pg_backend_pid() AS pid'))?.pid;
      await sql.run(NOTE, { name: 'a' });
      if (tries > 1) return;
      const cancel = async (): Promise<void> => {
        const isAsleep = `SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND query LIKE '%pg_sleep%' AND state = 'active'`;
        while ((await opened.db.query(isAsleep, [pid])).rowCount === 0) await pause(10);
        await opened.db.query('SELECT pg_cancel_backend($1)', [pid]);
      };
      await Promise.all([sql.run('SELECT pg_sleep(60)'), cancel()]);
    });
    expect([tries, await noted()]).toEqual([2, [{ name: 'a', times: 1 }]]);
  });

  it('whose statement is ended each time is told as that', async () => {
    transactor.hurry('now');
    const ending = transactor.write(NO_LOCKS, ({ sql }) => sql.run(`DO $$ BEGIN RAISE SQLSTATE '57014'; END $$`));
    await expect(ending).rejects.toMatchObject({ code: 'E40', message: expect.stringContaining('ends a statement before it is done') });
  });

  it('after whose opening the tables went is told that they are gone', async () => {
    const { store, db, schema } = await schemas.open(clock.read);
    await db.query(`ALTER SCHEMA "${schema}" RENAME TO "${schema}_"`);
    await expect(store.listRuns()).rejects.toMatchObject({ code: 'E22', exitCode: 8, message: expect.stringContaining('has lost tables') });
    await expect(store.setMaxRunning(1)).rejects.toMatchObject({ code: 'E22', message: expect.stringContaining('has lost tables') });
    await db.query(`ALTER SCHEMA "${schema}_" RENAME TO "${schema}"`);
    await store.close();
  });

  it('waits for a database that is read-only, which no begin of a transaction shows, and says so', async () => {
    const url = new URL(opened.location);
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    const place = postgresPlace(url.href);
    const news: ServerNews[] = [];
    const patience = { patienceMs: 4000, onServer: (one: ServerNews) => void news.push(one) };
    const context = { clock: null, random: () => 0.5, newToken: () => crypto.randomUUID(), watch: new LeaseWatch(clock.read), patience };
    const waiting = new Transactor(openPool(place), place, context);
    const written = waiting.write(NO_LOCKS, ({ sql }) => sql.run(NOTE, { name: 'a' }));
    expect(await waiting.read(({ sql }) => sql.one('SELECT 1 AS one'))).toEqual({ one: 1 });
    await expect(written).rejects.toMatchObject({ code: 'E22', message: expect.stringContaining('is read-only (cannot execute') });
    expect(news).toMatchObject([{ kind: 'away', what: 'is read-only', patienceMs: 4000 }]);
    expect(await noted()).toEqual([]);
    await waiting.close();
  });

  it('waits for others no longer than a second once somebody wants to leave', async () => {
    await new Bench(opened.store, clock).plan('r1', []);
    await opened.db.query(`BEGIN; SELECT 1 FROM runs WHERE run_id = 'r1' FOR UPDATE`);
    transactor.hurry('now');
    const startedAtMs = performance.now();
    await expect(transactor.write(runLocks('r1'), () => undefined)).rejects.toMatchObject({ code: 'E21', exitCode: 8 });
    expect(performance.now() - startedAtMs).toBeLessThan(5000);
    await opened.db.query('COMMIT');
  });
});

describe('a connection that breaks while it commits', () => {
  const clock = new Clock();
  let opened: PostgresBench;
  let proxy: BreakingProxy;
  let through: string;
  let bench: Bench;

  beforeEach(async () => {
    opened = await schemas.open(clock.read);
    const url = new URL(opened.location);
    proxy = new BreakingProxy(url);
    through = await proxy.location(url);
    bench = new Bench(await openPostgresStore(options(through, clock.read)), clock);
    await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
  });
  afterEach(async () => {
    await bench.store.close();
    await proxy.close();
    await opened.dispose();
  });

  it('that does not know whether it was committed need not wait for one that waits for it', async () => {
    const [away, begun, mayEnd] = [event(), event(), event()];
    const patience = { patienceMs: 60_000, onServer: away.happens };
    const place = postgresPlace(through);
    const transactor = new Transactor(openPool(place), place, { ...options('', clock.read), watch: new LeaseWatch(clock.read), patience });
    const first = transactor.write(runLocks('r1'), async ({ sql }) => {
      await sql.all('SELECT 1 AS one');
      begun.happens();
      await mayEnd.happened;
    });
    await begun.happened;
    proxy.become('cut');
    const look = transactor.read(({ sql }) => sql.all('SELECT 1 AS one'));
    await away.happened;
    const second = transactor.write(runLocks('r1'), () => 'done');
    // Until the second asks the server for all, or it does not come to that.
    const { tried } = proxy;
    for (let pauses = 0; pauses < 20 && proxy.tried < tried + 10; pauses += 1) await pause(200);
    mayEnd.happens();
    await pause(200);
    proxy.become('open');
    expect(await Promise.all([first, look, second])).toEqual([undefined, [{ one: 1 }], 'done']);
    await transactor.close();
  });

  for (const fate of ['is lost', 'arrives, and its answer is lost'] as const) {
    it(`does every verb of work once, when the commit ${fate}`, async () => {
      proxy.fate = fate;
      const claim = await bench.claimed('r1');
      proxy.fate = fate;
      expect(await bench.store.markSent(claim.token)).toBe(true);
      proxy.fate = fate;
      await bench.store.recordResponse(claim.token, completion());
      proxy.fate = fate;
      const settled = await bench.accept(claim);
      expect(settled).toMatchObject({ applied: true });
      expect(proxy.broken).toBe(4);
      const record = await bench.store.jobRecord('r1', 'j1');
      expect(record?.calls).toMatchObject([{ state: 'settled', costNanoUsd: 5000 }]);
      expect(record?.attempts).toMatchObject([{ number: 1, outcome: 'succeeded' }]);
    });

    it(`plans once, and knows whose run it is, when the commit ${fate}`, async () => {
      proxy.fate = fate;
      const { run, joined } = await bench.store.openRun(newRun('r2', { identity: 'two' }));
      expect([run.runId, joined]).toEqual(['r2', false]);
      await bench.store.addDocuments('r2', [document('a.md')]);
      proxy.fate = fate;
      await bench.store.addJobs('r2', [jobOfKey('j1', 0, 'k1'), jobOfKey('j2', 1, 'k2')]);
      proxy.fate = fate;
      await bench.store.markPlanned('r2');
      proxy.fate = fate;
      expect(await bench.store.finishRun('r2')).toBe(false);
      expect(proxy.broken).toBe(4);
      expect((await bench.store.runTotals('r2')).jobs).toMatchObject({ total: 2, queued: 2 });
      expect(await bench.run('r2')).toMatchObject({ state: 'open' });
    });

    it(`hands back and cancels once, and says so, when the commit ${fate}`, async () => {
      const claim = await bench.claimed('r1');
      proxy.fate = fate;
      expect(await bench.store.settle(claim.token, { kind: 'handed_back' })).toMatchObject({ applied: true });
      proxy.fate = fate;
      expect(await bench.store.cancelRun('r1')).toEqual({ changed: true, cancelled: 1 });
      expect(proxy.broken).toBe(2);
    });
  }
});

function event(): { readonly happened: Promise<void>; readonly happens: () => void } {
  let happens: () => void = () => undefined;
  const happened = new Promise<void>((resolve) => {
    happens = resolve;
  });
  return { happened, happens };
}
