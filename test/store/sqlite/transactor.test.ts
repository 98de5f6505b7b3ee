import BetterSqlite3, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LeaseWatch } from '../../../src/store/lease-watch.ts';
import { Transactor } from '../../../src/store/sqlite/transactor.ts';
import { Bench, Clock } from '../bench.ts';
import { job, newRun } from '../rows.ts';
import { openTempStore, type SqliteBench } from './open-store.ts';

describe('group commit', () => {
  let opened: SqliteBench;
  let db: Database;
  let transactor: Transactor;
  let statements: string[];
  let lockRetries = 0;

  beforeEach(async () => {
    opened = await openTempStore(() => 1000);
    statements = [];
    lockRetries = 0;
    db = new BetterSqlite3(opened.path, { timeout: 0, verbose: (text) => statements.push(String(text)) });
    db.exec('CREATE TABLE marks (mark TEXT PRIMARY KEY)');
    statements.length = 0;
    transactor = new Transactor(db, opened.path, {
      clock: () => 1000,
      random: () => 0.5,
      newToken: () => 'token',
      watch: new LeaseWatch(() => 0),
      onLockRetry: () => {
        lockRetries += 1;
      },
    });
  });
  afterEach(async () => {
    await transactor.close();
    await opened.dispose();
  });

  const mark = (value: string) => transactor.write(({ sql }) => sql.run('INSERT INTO marks VALUES (:value)', { value }));
  const marks = () => opened.db.prepare('SELECT mark FROM marks ORDER BY rowid').pluck().all();
  const count = (text: string) => statements.filter((statement) => statement === text).length;

  it('operations of one turn share a commit', async () => {
    await Promise.all(['a', 'b', 'c'].map(mark));
    expect(marks()).toEqual(['a', 'b', 'c']);
    expect([count('BEGIN IMMEDIATE'), count('COMMIT')]).toEqual([1, 1]);
  });

  it('at most 64 operations share a commit', async () => {
    await Promise.all(Array.from({ length: 65 }, (_, i) => mark(String(i))));
    expect(count('COMMIT')).toBe(2);
  });

  it('a failing operation takes back only itself and rejects only its own promise', async () => {
    const failing = transactor.write(({ sql }) => {
      sql.run(`INSERT INTO marks VALUES ('undone')`);
      throw new Error('no');
    });
    const results = await Promise.allSettled([mark('a'), failing, mark('b')]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(marks()).toEqual(['a', 'b']);
  });

  it('an operation of its own commits apart, in its place', async () => {
    const alone = transactor.writeAlone(({ sql }) => sql.run(`INSERT INTO marks VALUES ('alone')`));
    await Promise.all([alone, mark('a'), transactor.writeAlone(({ sql }) => sql.run(`INSERT INTO marks VALUES ('too')`)), mark('b')]);
    expect(marks()).toEqual(['alone', 'a', 'too', 'b']);
    expect(count('COMMIT')).toBe(4);
  });

  it('a promise resolves only when its change can be read by another connection', async () => {
    await mark('a');
    expect(marks()).toEqual(['a']);
  });

  it('the clock is read after the lock is held', async () => {
    const own = new BetterSqlite3(opened.path, { timeout: 0 });
    const held: boolean[] = [];
    const clock = () => {
      held.push(own.inTransaction);
      return 2000;
    };
    const timed = new Transactor(own, opened.path, { clock, random: () => 0, newToken: () => 'token', watch: new LeaseWatch(() => 0) });
    expect(await timed.write((tx) => tx.nowMs)).toBe(2000);
    expect(held).toEqual([true]);
    await timed.close();
  });

  it('no operation runs before the lock is held', async () => {
    opened.db.exec('BEGIN IMMEDIATE');
    let runs = 0;
    const write = transactor.write(({ sql }) => {
      runs += 1;
      return sql.run(`INSERT INTO settings (name, value) VALUES ('maxRunning', 1)`);
    });
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(runs).toBe(0);
    opened.db.exec('COMMIT');
    expect(await write).toBe(1);
    expect(runs).toBe(1);
  });

  it('a write lock held elsewhere puts off the writes and leaves the event loop free', async () => {
    opened.db.exec('BEGIN IMMEDIATE');
    let settled = false;
    const write = Promise.all([mark('a'), mark('b')]).then(() => {
      settled = true;
    });
    let turns = 0;
    const until = performance.now() + 1000;
    while (performance.now() < until) {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    expect(settled).toBe(false);
    // A busy handler would have kept the loop inside SQLite: a handful of turns in that second.
    expect(turns).toBeGreaterThan(100);
    expect(lockRetries).toBeGreaterThan(1);
    opened.db.exec('COMMIT');
    await write;
    expect(marks()).toEqual(['a', 'b']);
    const before = lockRetries;
    await mark('c');
    expect(lockRetries).toBe(before);
  });

  it('who is in a hurry gives up on a lock held elsewhere within seconds, and who comes after it at once', async () => {
    opened.db.exec('BEGIN IMMEDIATE');
    transactor.hurry();
    const startedAtMs = performance.now();
    await expect(mark('a')).rejects.toMatchObject({ code: 'E21', exitCode: 8 });
    const firstMs = performance.now() - startedAtMs;
    await expect(mark('b')).rejects.toMatchObject({ code: 'E21' });
    expect(performance.now() - startedAtMs - firstMs).toBeLessThan(firstMs / 2);
    opened.db.exec('COMMIT');
    await mark('c');
    expect(marks()).toEqual(['c']);
  });

  it('reads go on while another connection holds the write lock', async () => {
    opened.db.exec('BEGIN IMMEDIATE');
    expect(await transactor.read(({ sql }) => sql.all('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
    opened.db.exec('COMMIT');
  });

  it('what the constraints forbid is undone and reported', async () => {
    await mark('a');
    await expect(mark('a')).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_PRIMARYKEY' });
  });

  it('a full disk is told apart, and what was settled stays', async () => {
    await mark('a');
    db.pragma(`max_page_count = ${String(db.pragma('page_count', { simple: true }))}`);
    const big = transactor.write(({ sql }) => sql.run('INSERT INTO marks VALUES (:value)', { value: 'x'.repeat(1_000_000) }));
    await expect(big).rejects.toMatchObject({ name: 'UserError', code: 'E24', exitCode: 8 });
    expect(marks()).toEqual(['a']);
    db.pragma('max_page_count = 1000000');
    await mark('b');
    expect(marks()).toEqual(['a', 'b']);
  });

  it('a closed store refuses work', async () => {
    await transactor.close();
    await expect(mark('a')).rejects.toThrow('closed');
  });
});

describe('sent', () => {
  it('is a commit of its own', async () => {
    const statements: string[] = [];
    const clock = new Clock();
    const opened = await openTempStore(clock.read, {
      openDatabase: (path) => new BetterSqlite3(path, { timeout: 0, verbose: (text) => statements.push(String(text)) }),
    });
    const bench = new Bench(opened.store, clock);
    await bench.plan('r1', [job('j1', 0)]);
    const claim = await bench.claimed('r1');
    statements.length = 0;
    await Promise.all([opened.store.openRun(newRun('r2')), opened.store.markSent(claim.token), opened.store.openRun(newRun('r3'))]);
    expect(statements.filter((text) => text === 'COMMIT')).toHaveLength(3);
    await opened.dispose();
  });
});
