import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SpoolNews } from '../../../../src/store/spool/spool-intake.ts';
import { openSqliteStore } from '../../../../src/store/sqlite/open.ts';
import type { SqliteOptions } from '../../../../src/store/sqlite/options.ts';
import type { Claim } from '../../../../src/store/work.ts';
import { Bench, Clock, finishOf } from '../../bench.ts';
import { completion, job, worker } from '../../rows.ts';
import { openTempStore, options, type SqliteBench } from '../open-store.ts';

const ROOM_BYTES = 4 * 1024 * 1024;
/** More than the free pages of a new database hold. */
const LONG = 'x'.repeat(200_000);
const UNLIMITED = 1_073_741_823;
const userId = process.geteuid?.() ?? null;

describe('a paid answer that the database cannot take', () => {
  const clock = new Clock();
  let opened: SqliteBench;
  let bench: Bench;
  let connection: Database;
  let news: SpoolNews[];
  let beside: string;

  beforeEach(() => {
    news = [];
  });
  afterEach(() => opened.dispose());

  const onSpool = (one: SpoolNews): void => void news.push(one);

  /** A store with a planned run of one job; its own connection can be made to fail. */
  async function open(changes: Partial<SqliteOptions> = {}, prepare: (path: string) => void = () => undefined): Promise<void> {
    const openDatabase = (path: string): Database => {
      prepare(path);
      connection = new BetterSqlite3(path, { timeout: 0 });
      return connection;
    };
    opened = await openTempStore(clock.read, { onSpool, openDatabase, ...changes });
    bench = new Bench(opened.store, clock);
    beside = `${opened.path}.spool`;
    await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
  }

  const fillDisk = (): void => void connection.pragma('max_page_count = 1');
  const freeDisk = (): void => void connection.pragma(`max_page_count = ${UNLIMITED}`);

  async function sent(): Promise<Claim> {
    const claim = await bench.claimed('r1');
    await bench.store.markSent(claim.token);
    return claim;
  }

  /** What the caller of the verb is told. */
  async function told(work: Promise<unknown>): Promise<{ code: string; exitCode: number; message: string; next: readonly string[] }> {
    const error: unknown = await work.then(
      () => null,
      (cause: unknown) => cause,
    );
    expect(error).toMatchObject({ name: 'UserError' });
    return Object(error);
  }

  const record = (claim: Claim, content = LONG): Promise<void> => bench.store.recordResponse(claim.token, completion(content));

  async function keptOnFullDisk(): Promise<Claim> {
    const claim = await sent();
    fillDisk();
    await told(record(claim));
    return claim;
  }

  /** The process ends; what it tells then is no matter here. */
  async function end(): Promise<void> {
    await bench.store.close();
    news = [];
  }

  /** A second process, which has room. */
  const next = (changes: Partial<SqliteOptions> = {}) => opened.another({ onSpool, ...changes });
  const spoolOf = (workerId: string, folder = beside): string => join(folder, `${workerId}.spool`);

  it('is kept while it waits for a lock that somebody holds, and leaves no trace once the database has it', async () => {
    await open();
    const claim = await sent();
    opened.db.exec('BEGIN IMMEDIATE');
    const recorded = record(claim, 'waits');
    const kept = () => readFileSync(spoolOf('w1'), 'utf8').includes('waits');
    while (!kept()) await new Promise((resolve) => setTimeout(resolve, 50));
    opened.db.exec('COMMIT');
    await recorded;
    await end();
    expect(existsSync(spoolOf('w1'))).toBe(false);
    expect(news).toEqual([]);
    expect((await (await next()).response(claim.token))?.content).toBe('waits');
  });

  it('is kept in the room that its worker has had from the start; the error tells where', async () => {
    await open();
    const claim = await sent();
    fillDisk();
    const { code, exitCode, message, next: steps } = await told(record(claim));
    expect({ code, exitCode }).toEqual({ code: 'E24', exitCode: 8 });
    expect(message).toContain(`disk full writing ${opened.path}`);
    expect(message).toContain(`Its paid answer is safe: ${spoolOf('w1')} keeps it`);
    expect(steps).toEqual(['free space, then repeat the same command']);
    const text = readFileSync(spoolOf('w1'), 'utf8');
    const [header, line] = text.slice(0, text.indexOf('\u0000')).split('\n');
    expect(JSON.parse(header ?? '')).toMatchObject({ v: 1, database: opened.path, workerId: 'w1' });
    expect(JSON.parse(line ?? '')).toEqual({ v: 1, token: claim.token, completion: completion(LONG) });
  });

  it('is taken in by the next start and judged without a second call', async () => {
    await open();
    const claim = await keptOnFullDisk();
    await end();
    const store = await next();
    expect(news).toEqual([{ kind: 'taken', count: 1, path: spoolOf('w1') }]);
    expect(readdirSync(beside)).toEqual([]);
    const after = new Bench(store, clock);
    const judge = await after.claimed('r1', 'w4');
    expect(judge.work).toMatchObject({ kind: 'judge', callToken: claim.token, completion: completion(LONG) });
    await after.finish(finishOf(await after.accept(judge, { findings: [] }, claim.token)));
    expect(await after.row('r1', 'j1')).toMatchObject({ state: 'succeeded', calls: 1, attempts: 1 });
  });

  it('is taken in by its own process when the database works again before it ends', async () => {
    await open();
    const claim = await keptOnFullDisk();
    freeDisk();
    await bench.store.removeWorker('w1');
    expect(news).toEqual([{ kind: 'taken', count: 1, path: spoolOf('w1') }]);
    expect(existsSync(spoolOf('w1'))).toBe(false);
    expect((await bench.claimed('r1', 'w2')).work).toMatchObject({ kind: 'judge', callToken: claim.token });
  });

  it('stays where it is when its process ends and the disk is still full: how many there are is told then', async () => {
    await open();
    const claims = [await sent(), await sent()];
    fillDisk();
    for (const claim of claims) await told(record(claim));
    await bench.store.removeWorker('w1');
    expect(news).toEqual([{ kind: 'kept', count: 2, path: spoolOf('w1') }]);
    await end();
    await next();
    expect(news).toEqual([{ kind: 'taken', count: 2, path: spoolOf('w1') }]);
  });

  it.each([
    ['SQLITE_IOERR_WRITE', 'E24', 8],
    ['SQLITE_IOERR_READ', 'E22', 8],
    ['SQLITE_CORRUPT', 'E22', 8],
    ['SQLITE_READONLY_DBMOVED', 'E22', 8],
    ['SQLITE_CANTOPEN', 'E22', 8],
    ['SQLITE_FULL', 'E24', 8],
  ])('is kept whatever the database says: %s', async (sqlite, code, exitCode) => {
    await open();
    const claim = await sent();
    connection.function('fails', () => {
      throw new BetterSqlite3.SqliteError('injected', sqlite);
    });
    connection.exec('CREATE TEMP TRIGGER broken BEFORE INSERT ON main.responses BEGIN SELECT fails(); END');
    const error = await told(record(claim));
    expect(error).toMatchObject({ code, exitCode });
    expect(error.message).toContain(`Its paid answer is safe: ${spoolOf('w1')} keeps it`);
  });

  it('is left where it is by a start that cannot write either: that one goes on, and tells it', async () => {
    await open();
    await keptOnFullDisk();
    await end();
    const store = await next({
      openDatabase: (path) => {
        const db = new BetterSqlite3(path, { timeout: 0 });
        db.pragma('max_page_count = 1');
        return db;
      },
    });
    const why = `it cannot be taken in yet: disk full writing ${opened.path}; everything settled so far is safe.`;
    expect(news).toEqual([{ kind: 'left', path: spoolOf('w1'), why }]);
    expect(await store.getRun('r1')).toMatchObject({ runId: 'r1' });
    expect(existsSync(spoolOf('w1'))).toBe(true);
  });

  it('is left to a worker that lives', async () => {
    await open();
    await keptOnFullDisk();
    await next();
    expect(news).toEqual([]);
    expect(existsSync(spoolOf('w1'))).toBe(true);
  });

  it('may be larger than the room, while the disk has more', async () => {
    await open();
    const claims = [await sent(), await sent()];
    fillDisk();
    for (const claim of claims) await told(record(claim, 'y'.repeat(ROOM_BYTES - 1000)));
    await end();
    const store = await next();
    expect(news).toMatchObject([{ kind: 'taken', count: 2 }]);
    for (const { token } of claims) expect((await store.response(token))?.content).toHaveLength(ROOM_BYTES - 1000);
  });

  it('is kept again when the file was removed by someone', async () => {
    await open();
    rmSync(beside, { recursive: true });
    await keptOnFullDisk();
    expect(existsSync(spoolOf('w1'))).toBe(true);
  });

  it('is told as lost, with its call, when no place takes it', async () => {
    await open();
    rmSync(beside, { recursive: true });
    writeFileSync(beside, '');
    const claim = await sent();
    fillDisk();
    const { message } = await told(record(claim));
    expect(message).toContain(`The paid answer of call ${claim.token} is lost, no place takes it: ${beside} (EEXIST).`);
  });

  describe('in a folder that databases share', () => {
    let shared: string;

    /** Nothing can be written beside the database. */
    async function openWithoutBeside(folders: (base: string) => readonly string[]): Promise<void> {
      const base = (path: string): string => join(path, '..');
      const found: string[] = [];
      await open(
        {
          userId,
          get spoolFolders() {
            return found;
          },
        },
        (path) => {
          if (found.length > 0) return;
          writeFileSync(`${path}.spool`, '');
          found.push(...folders(base(path)));
          shared = found.at(-1) ?? '';
        },
      );
    }

    it('is kept for this user alone, and taken in from there', async () => {
      await openWithoutBeside((base) => [join(base, 'state', 'aieval', 'spool')]);
      await keptOnFullDisk();
      expect([statSync(shared).mode & 0o777, statSync(spoolOf('w1', shared)).mode & 0o777]).toEqual([0o700, 0o600]);
      await end();
      await next({ userId, spoolFolders: [shared] });
      expect(news).toEqual([{ kind: 'taken', count: 1, path: spoolOf('w1', shared) }]);
    });

    it('is not written behind a link', async () => {
      await openWithoutBeside((base) => {
        mkdirSync(join(base, 'elsewhere'));
        symlinkSync(join(base, 'elsewhere'), join(base, 'link'));
        return [join(base, 'link'), join(base, 'own')];
      });
      await keptOnFullDisk();
      expect(readdirSync(join(opened.folder, 'elsewhere'))).toEqual([]);
      expect(readdirSync(shared)).toContain('w1.spool');
    });

    it.skipIf(userId === null)('is not written into the folder of another user', async () => {
      await open();
      const store = await next({ spoolFolders: [join(opened.folder, 'foreign')], userId: (userId ?? 0) + 1 });
      rmSync(beside, { recursive: true });
      writeFileSync(beside, '');
      mkdirSync(join(opened.folder, 'foreign'));
      const { code, exitCode, message } = await told(store.registerWorker(worker('w9')));
      expect({ code, exitCode }).toEqual({ code: 'E22', exitCode: 8 });
      expect(message).toContain(`${join(opened.folder, 'foreign')} (not a folder of this user)`);
      expect((await store.workers()).map(({ workerId }) => workerId)).not.toContain('w9');
    });

    it('is left to the database that it belongs to, also by a copy of that; a database that was moved takes it', async () => {
      await openWithoutBeside((base) => [join(base, 'state')]);
      await keptOnFullDisk();
      await end();
      opened.db.close();
      const copy = join(opened.folder, 'copy.db');
      copyFileSync(opened.path, copy);
      const visit = async (path: string): Promise<void> =>
        (await openSqliteStore({ ...options(path, clock.read), onSpool, userId, spoolFolders: [shared] })).close();
      await visit(copy);
      await visit(join(opened.folder, 'another.db'));
      expect(news).toEqual([]);
      renameSync(opened.path, join(opened.folder, 'moved.db'));
      await visit(join(opened.folder, 'moved.db'));
      expect(news).toEqual([{ kind: 'taken', count: 1, path: spoolOf('w1', shared) }]);
    });
  });

  describe('in a file that', () => {
    /** Leaves a spool of a dead worker with these lines. */
    async function left(lines: (claim: Claim) => readonly string[]): Promise<Claim> {
      await open();
      const claim = await sent();
      await bench.store.removeWorker('w1');
      const header = { v: 1, storeId: 'any', database: '/any', workerId: 'w1' };
      writeFileSync(spoolOf('w1'), [JSON.stringify(header), ...lines(claim)].join('\n'));
      appendFileSync(spoolOf('w1'), Buffer.alloc(10));
      return claim;
    }
    const line = (token: string): string => JSON.stringify({ v: 1, token, completion: completion() });

    it('ends in a torn record: those before it are taken in', async () => {
      const claim = await left(({ token }) => [line(token), line('torn').slice(0, 40)]);
      const store = await next();
      expect(news).toEqual([{ kind: 'taken', count: 1, path: spoolOf('w1') }]);
      expect(await store.response(claim.token)).toEqual(completion());
    });

    it('holds an answer of no known call: it is kept and told, and the others are taken in once', async () => {
      await left(({ token }) => [line(token), line('stranger'), '']);
      const why = '1 of its answers is of no call of this database; remove it if nothing needs it';
      await next();
      expect(news).toEqual([
        { kind: 'taken', count: 1, path: spoolOf('w1') },
        { kind: 'left', path: spoolOf('w1'), why },
      ]);
      await next();
      expect(news.slice(2)).toEqual([{ kind: 'left', path: spoolOf('w1'), why }]);
    });

    it('holds what this version cannot read: it is kept and told', async () => {
      await left(({ token }) => [line(token).replace('"stop"', '"sigh"'), line(token).replace('"v":1', '"v":2'), '']);
      await next();
      expect(news).toMatchObject([{ kind: 'left', why: expect.stringContaining('2 of its lines cannot be read by this version') }]);
      expect(existsSync(spoolOf('w1'))).toBe(true);
    });

    it('holds nothing is removed without a word', async () => {
      await left(() => ['']);
      await next();
      expect(news).toEqual([]);
      expect(existsSync(spoolOf('w1'))).toBe(false);
    });
  });

  it('and was stored, but not judged when its worker left, is judged by the next at once', async () => {
    await open();
    const claim = await sent();
    await record(claim);
    await bench.store.removeWorker('w1');
    expect((await bench.claimed('r1', 'w2')).work).toMatchObject({ kind: 'judge', callToken: claim.token });
  });

  it('needs no file once its worker has left', async () => {
    await open();
    expect(statSync(spoolOf('w1')).size).toBeGreaterThan(ROOM_BYTES);
    await bench.store.removeWorker('w1');
    expect(readdirSync(beside).sort()).toEqual(['w2.spool', 'w3.spool']);
    await end();
    expect(readdirSync(beside)).toEqual([]);
  });
});
