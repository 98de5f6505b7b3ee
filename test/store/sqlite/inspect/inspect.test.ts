import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Machine, THIS_MACHINE } from '../../../../src/store/machine/file-system-here.ts';
import { Liveness } from '../../../../src/store/machine/liveness.ts';
import type { Inspection } from '../../../../src/store/maintenance.ts';
import { type InspectOptions, inspectDatabase } from '../../../../src/store/sqlite/inspect/inspect.ts';
import { isStopped } from '../../../../src/store/sqlite/inspect/inspect-processes.ts';
import { inspectLeases } from '../../../../src/store/sqlite/inspect/inspect-workers.ts';
import { openSqliteStore } from '../../../../src/store/sqlite/open.ts';
import { INVARIANTS } from '../../../../src/store/sqlite/schema/invariants.ts';
import { SCHEMA_VERSION } from '../../../../src/store/sqlite/schema/migrations.ts';
import { Sql } from '../../../../src/store/sqlite/sql.ts';
import { seeWorkers } from '../../../../src/store/sqlite/workers/seen-workers.ts';
import { Bench, Clock } from '../../bench.ts';
import { failure, jobOfKey } from '../../rows.ts';
import { options } from '../open-store.ts';

const HOST = 'boot-1';
const HOLD_LOCK = fileURLToPath(new URL('./hold-lock.mjs', import.meta.url));

let folder: string;
let path: string;
let clock: Clock;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aieval-inspect-'));
  path = join(folder, 'aieval.db');
  clock = new Clock();
});
afterEach(() => rmSync(folder, { recursive: true }));

const inspect = (changes: Partial<InspectOptions> = {}) => inspectDatabase({ path, clock: clock.read, hostId: HOST, ...changes });
const named = (found: readonly Inspection[], check: string) => found.filter((one) => one.check === check);
const wrong = (found: readonly Inspection[]) =>
  found.filter(({ status }) => status !== 'ok').map(({ check, status }) => `${check} ${status}`);

/** A database with one job done, one that failed once, one that runs, and more that wait; left as a closed store leaves it. */
async function sample(): Promise<void> {
  const store = await openSqliteStore({ ...options(path, clock.read), hostId: HOST });
  const bench = new Bench(store, clock);
  await bench.plan(
    'r1',
    Array.from({ length: 40 }, (_, i) => jobOfKey(`j${i}`, i, `k${i}`)),
  );
  await bench.complete(await bench.claimed('r1'));
  await bench.fail(await bench.claimed('r1'), failure());
  await bench.claimed('r1');
  await store.close();
}

function edit(change: (db: Database) => void): void {
  const db = new BetterSqlite3(path);
  change(db);
  db.close();
}

describe('a database at work', () => {
  it('is found sound while a worker lives and holds a lease', async () => {
    const store = await openSqliteStore({ ...options(path, clock.read), hostId: HOST });
    const bench = new Bench(store, clock);
    await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
    await bench.claimed('r1');
    const found = await inspect();
    expect(wrong(found)).toEqual([]);
    expect(found.map(({ check }) => check)).toEqual([
      'sqlite',
      'file-system',
      'disk',
      'schema',
      'integrity',
      'foreign-keys',
      'totals',
      'work',
      'lock',
      'workers',
      'leases',
      'spool',
      'wal',
    ]);
    expect(named(found, 'workers')[0]?.message).toBe('3 alive, 0 gone');
    expect(await store.inspect()).toEqual(found);
    await store.close();
  });

  it('is not changed by the look, nor is its log put away', async () => {
    await sample();
    const before = readdirSync(folder);
    await inspect();
    expect(readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(before.filter((name) => !/-(wal|shm)$/.test(name)));
    edit((db) => expect(db.pragma('user_version', { simple: true })).toBe(SCHEMA_VERSION));
  });
});

describe('what is not there', () => {
  it('is said without being created', async () => {
    path = join(folder, 'not', 'yet', 'aieval.db');
    const found = await inspect();
    expect(wrong(found)).toEqual([]);
    expect(named(found, 'schema')[0]?.message).toBe(`${path} does not exist yet; the first run creates it`);
    expect(named(found, 'disk')).toHaveLength(1);
    expect(existsSync(dirname(path))).toBe(false);
  });

  it('an empty file waits for its first run', async () => {
    writeFileSync(path, '');
    expect(named(await inspect(), 'schema')).toEqual([
      { check: 'schema', status: 'ok', message: `${path} is empty; the first run sets it up`, next: [] },
    ]);
  });
});

describe('a file that cannot be used', () => {
  it('which is no database is a problem, and no more is asked of it', async () => {
    writeFileSync(path, 'These are not the bytes of a database, but enough of them to tell.'.repeat(20));
    const found = await inspect();
    expect(wrong(found)).toEqual(['schema problem']);
    expect(named(found, 'schema')[0]?.message).toBe(`${path} is not a database; nothing was changed.`);
    expect(found.at(-1)?.check).toBe('schema');
  });

  it('of another program, or of a newer version, is a problem', async () => {
    edit((db) => db.exec('CREATE TABLE bookmarks (url TEXT)'));
    expect(named(await inspect(), 'schema')).toMatchObject([{ status: 'problem', message: expect.stringContaining('another program') }]);
    rmSync(path);
    await sample();
    edit((db) => db.pragma('user_version = 99'));
    expect(named(await inspect(), 'schema')).toMatchObject([{ status: 'problem', message: expect.stringContaining('a newer aieval') }]);
  });

  it('of an older version is checked as far as this version knows it', async () => {
    await sample();
    edit((db) => db.pragma('user_version = 3'));
    const found = await inspect();
    expect(named(found, 'schema')[0]?.message).toBe(`schema 3; the next command that works on runs brings it to ${SCHEMA_VERSION}`);
    expect(found.map(({ check }) => check)).not.toContain('totals');
  });

  it('with a page of nonsense is a problem for each check that meets it, and for no other', async () => {
    await sample();
    const page = await rootPage('jobs');
    overwrite(page);
    const found = await inspect();
    expect(named(found, 'integrity')).toMatchObject([{ status: 'problem', message: expect.stringContaining(`${path} is damaged`) }]);
    expect(named(found, 'integrity')[0]?.next[0]).toBe(`copy ${path}* to a safe place before anything else`);
    expect(named(found, 'totals').map(({ status }) => status)).toContain('problem');
    expect(new Set(named(found, 'work').map(({ message }) => message)).size).toBe(named(found, 'work').length);
    expect(named(found, 'workers')).toMatchObject([{ status: 'ok' }]);
    expect(named(found, 'disk')).toMatchObject([{ status: 'ok' }]);
  });

  it('that was cut short is a problem, and what stands around it is looked at all the same', async () => {
    await sample();
    mkdirSync(`${path}.spool`, { recursive: true });
    writeFileSync(join(`${path}.spool`, 'dead.spool'), 'x');
    for (const size of [statSync(path).size - 4096, 4096]) {
      truncateSync(path, size);
      const found = await inspect();
      expect(named(found, 'schema')).toMatchObject([{ status: 'problem', message: expect.stringContaining('SQLITE_CORRUPT') }]);
      expect(named(found, 'integrity')).toMatchObject([{ status: 'problem' }]);
      expect(named(found, 'spool')).toMatchObject([{ status: 'warning', message: expect.stringContaining('dead.spool') }]);
      expect(named(found, 'wal')).toHaveLength(1);
    }
  });

  async function rootPage(table: string): Promise<number> {
    let page = 0;
    edit((db) => {
      page = Number(db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table));
      db.pragma('wal_checkpoint(TRUNCATE)');
    });
    return page;
  }

  function overwrite(page: number): void {
    const fd = openSync(path, 'r+');
    writeSync(fd, Buffer.alloc(4096, 'nonsense'), 0, 4096, (page - 1) * 4096);
    closeSync(fd);
  }
});

const REASK_OF_J9 = `
UPDATE steps SET kind = 'chunk' WHERE job_id = 'j9';
INSERT INTO steps (run_id, job_id, kind, step_index, key, flight_key, lane_id, input_tokens, reask, state, order_ms, seq, run_at_ms)
SELECT run_id, job_id, 'reask', 0, key, flight_key, lane_id, 1, '{}', 'queued', 1, 1, 1 FROM steps WHERE job_id = 'j9'`;

describe('rows that contradict each other', () => {
  beforeEach(sample);

  it.each([
    ['totals that are not the sums over the jobs', `UPDATE run_totals SET pass = pass + 1`],
    ['totals that are not the sums over the jobs', `DELETE FROM run_totals`],
    ['totals that are not the sums over the jobs', `INSERT INTO run_totals (run_id, task, model, total) VALUES ('r1', 'gone', 'model', 1)`],
    ['totals that are not the sums over the attempts', `UPDATE run_totals SET attempts = attempts - 1`],
    ['totals that are not the sums over the attempts', `UPDATE run_totals SET lost_leases = 1`],
    ['totals that are not the sums over the calls', `UPDATE run_totals SET spent_nano_usd = spent_nano_usd + 1`],
    ['totals that are not the sums over the calls', `UPDATE run_totals SET output_tokens = 0`],
    ['totals that are not the sums over the calls', `UPDATE run_totals SET reserved_nano_usd = 5`],
    ['totals that are not the sums over the calls', `UPDATE run_totals SET reserved_tokens = reserved_tokens + 1`],
    ['totals that are not the sums over the calls', `UPDATE run_totals SET generating_ms = 1`],
    ['totals that are not the sums over the parts', `UPDATE run_totals SET open_parts = open_parts + 1`],
  ])('%s are named (%s)', async (name, change) => {
    edit((db) => db.exec(change));
    const [found, ...more] = named(await inspect(), 'totals').filter(({ status }) => status === 'problem');
    expect(found?.message).toMatch(new RegExp(`^${name}: run r1, task (task|gone), model model$`));
    expect(found?.next).toEqual([expect.stringContaining('please report this')]);
    expect(more).toEqual([]);
  });

  it('latencies that are not those of the calls are named', async () => {
    edit((db) => db.exec(`INSERT INTO run_latencies (run_id, model, bucket, calls) VALUES ('r1', 'model', 1, 7)`));
    const [found] = named(await inspect(), 'totals').filter(({ status }) => status === 'problem');
    expect(found?.message).toBe('latencies that are not those of the calls: run r1, model model');
  });

  it.each([
    ['an open job whose state is not that of its steps', `UPDATE jobs SET state = 'running' WHERE job_id = 'j9'`],
    ['an open job without an open step', `UPDATE steps SET state = 'cancelled' WHERE job_id = 'j9'`],
    ['a queued step of an ended job', `UPDATE jobs SET state = 'cancelled', ended_at_ms = 1 WHERE job_id = 'j9'`],
    [
      'an open call without a lease',
      `UPDATE steps SET state = 'queued', lease_token = NULL, lease_owner = NULL, leased_at_ms = NULL, lease_expires_at_ms = NULL,
        deadline_at_ms = NULL, counted = 0 WHERE job_id = 'j2'; UPDATE jobs SET state = 'queued' WHERE job_id = 'j2'`,
    ],
    ['a cached answer that was never found valid', `UPDATE responses SET judgement = 'invalid', answer = NULL`],
    ['an ended job that is still to be cancelled', `UPDATE jobs SET cancel_asked = 'drain' WHERE state = 'succeeded'`],
    ['a call queued for a job that is being cancelled', `UPDATE jobs SET cancel_asked = 'drain' WHERE job_id = 'j9'`],
    [
      'a step that waits for a person though its model is not paused',
      `UPDATE steps SET parked = 1, run_at_ms = 9007199254740991 WHERE job_id = 'j9'`,
    ],
    [
      'a call that never left and gave nothing back',
      `UPDATE calls SET state = 'released', granted_tokens = 1 WHERE call_token = (SELECT call_token FROM calls WHERE state = 'settled' LIMIT 1)`,
    ],
    [
      'a failed job that keeps a result',
      `UPDATE jobs SET result = '{}', state = 'failed', verdict = 'error', error_reason = 'timeout', error_message = 'm', ended_at_ms = 1
         WHERE job_id = 'j9';
       UPDATE steps SET state = 'cancelled', gate = NULL WHERE job_id = 'j9'; UPDATE run_totals SET queued = queued`,
    ],
    ['a part or a reduce that asks nothing', `UPDATE steps SET kind = 'chunk' WHERE job_id = 'j9'`],
    [
      'a part or a reduce that asks nothing',
      `${REASK_OF_J9}; INSERT INTO step_inputs SELECT step_id, '{"kind":"part"}' FROM steps WHERE job_id = 'j9' AND kind = 'chunk'`,
    ],
    [
      'answers that are reduced before all are there',
      `${REASK_OF_J9}; INSERT INTO step_inputs SELECT step_id, '{"kind":"part"}' FROM steps WHERE job_id = 'j9';
       UPDATE steps SET state = 'succeeded', outcome = 'superseded', gate = NULL WHERE job_id = 'j9' AND kind = 'chunk';
       INSERT INTO steps (run_id, job_id, kind, step_index, key, flight_key, lane_id, input_tokens, state, order_ms, seq, run_at_ms)
       SELECT run_id, job_id, 'reduce', 0, key, flight_key, lane_id, 1, 'queued', 1, 1, 1 FROM steps WHERE job_id = 'j9' AND kind = 'chunk';
       INSERT INTO step_inputs VALUES (last_insert_rowid(), '{"kind":"prompt"}')`,
    ],
    [
      'answers that are reduced before all are there',
      `${REASK_OF_J9}; INSERT INTO step_inputs SELECT step_id, '{"kind":"prompt"}' FROM steps WHERE job_id = 'j9' AND kind = 'reask';
       INSERT INTO step_inputs SELECT step_id, '{"kind":"part"}' FROM steps WHERE job_id = 'j9' AND kind = 'chunk'`,
    ],
    [
      'answers that are reduced before all are there',
      `INSERT INTO steps (run_id, job_id, kind, step_index, key, flight_key, lane_id, input_tokens, state, order_ms, seq, run_at_ms)
       SELECT run_id, job_id, 'reduce', 0, key, flight_key, lane_id, 1, 'queued', 1, 1, 1 FROM steps WHERE job_id = 'j9';
       INSERT INTO step_inputs VALUES (last_insert_rowid(), '{}')`,
    ],
    [
      'a worker with two suspects',
      `UPDATE steps SET state = 'running', lease_token = 't', lease_owner = (SELECT lease_owner FROM steps WHERE job_id = 'j2'),
        leased_at_ms = 1, lease_expires_at_ms = 1, deadline_at_ms = 1, flight_key = flight_key WHERE job_id = 'j9';
       UPDATE jobs SET state = 'running' WHERE job_id = 'j9';
       INSERT INTO keys (run_id, key, suspect) SELECT run_id, key, 1 FROM steps WHERE job_id IN ('j2', 'j9')
       ON CONFLICT DO UPDATE SET suspect = 1`,
    ],
    [
      'two flights of one key',
      `DROP INDEX steps_one_flight; UPDATE steps SET state = 'running', lease_token = 't', lease_owner = 'w2', leased_at_ms = 1,
        lease_expires_at_ms = 1, deadline_at_ms = 1, flight_key = (SELECT flight_key FROM steps WHERE job_id = 'j2') WHERE job_id = 'j9';
       UPDATE jobs SET state = 'running' WHERE job_id = 'j9'`,
    ],
    [
      'one key running twice in a run',
      `DROP INDEX steps_one_flight_in_run; UPDATE steps SET state = 'running', lease_token = 't', lease_owner = 'w2', leased_at_ms = 1,
        lease_expires_at_ms = 1, deadline_at_ms = 1, key = (SELECT key FROM steps WHERE job_id = 'j2') WHERE job_id = 'j9';
       UPDATE jobs SET state = 'running' WHERE job_id = 'j9'`,
    ],
  ])('%s is named', async (name, change) => {
    edit((db) => db.exec(change));
    const found = named(await inspect(), 'work');
    expect(found.map(({ status, message }) => `${status}: ${message.split(':')[0]}`)).toEqual([`problem: ${name}`]);
  });

  it('a group whose open money is not that of its calls is named by its month', async () => {
    edit((db) => db.exec(`INSERT INTO group_totals (group_name, month, reserved_nano_usd) VALUES ('team', '2026-11', 5)`));
    const found = named(await inspect(), 'totals').filter(({ status }) => status === 'problem');
    expect(found.map(({ message }) => message)).toEqual(['groups whose open money is not the sum over the calls: group team, 2026-11']);
  });

  it('every invariant is broken by one of these cases', () => {
    expect(INVARIANTS).toHaveLength(21);
  });

  it('a reference to a row that is not there is named by its tables', async () => {
    edit((db) => {
      db.pragma('foreign_keys = OFF');
      db.exec(`UPDATE jobs SET text_sha256 = 'gone' WHERE job_id = 'j9'`);
    });
    expect(named(await inspect(), 'foreign-keys')).toMatchObject([
      { status: 'problem', message: 'references to rows that are not there: 1 of jobs to texts' },
    ]);
  });

  it('the totals of a run that is half pruned are not compared', async () => {
    edit((db) => db.exec(`UPDATE run_totals SET total = 0; UPDATE runs SET pruned_at_ms = 1`));
    expect(named(await inspect(), 'totals')).toMatchObject([{ status: 'ok' }]);
  });
});

describe('workers and leases', () => {
  it('leases of a worker that is gone are told, with what takes them up', async () => {
    await sample();
    expect(named(await inspect(), 'leases')).toEqual([
      { check: 'leases', status: 'warning', message: '1 lease of workers that are gone', next: ['aieval worker r1'] },
    ]);
    edit((db) => db.exec(`UPDATE runs SET state = 'cancelled', finished_at_ms = 1`));
    expect(named(await inspect(), 'leases')).toMatchObject([{ next: ['aieval cancel r1'] }]);
  });

  it('none are told as none', async () => {
    const store = await openSqliteStore({ ...options(path, clock.read), hostId: HOST });
    expect(named(await inspect(), 'leases')).toEqual([{ check: 'leases', status: 'ok', message: 'no leases', next: [] }]);
    await store.close();
  });

  it('a worker that registers and claims while the leases are read is not taken for a dead one', async () => {
    const store = await openSqliteStore({ ...options(path, clock.read), hostId: HOST });
    const bench = new Bench(store, clock);
    await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
    await bench.claimed('r1');
    const db = new BetterSqlite3(path);
    const watcher = { liveness: new Liveness(path), hostId: HOST, nowMs: clock.nowMs };
    const sql = new Sql(db);
    const see = () => {
      const seen = seeWorkers(sql, watcher);
      db.exec(`UPDATE steps SET lease_owner = 'late' WHERE state = 'running'`);
      return seen;
    };
    expect(inspectLeases(sql, see, watcher)).toMatchObject([{ status: 'ok' }]);
    db.close();
    await store.close();
  });

  it('a lease that ran out under a living worker is told', async () => {
    const store = await openSqliteStore({ ...options(path, clock.read), hostId: HOST });
    const bench = new Bench(store, clock);
    await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
    await bench.claimed('r1');
    clock.pass(3_600_000);
    expect(named(await inspect(), 'leases')[0]?.message).toBe('1 lease ran out although the worker lives: it is frozen or blocked');
    await store.close();
  });

  it('living workers of two machines are a problem', async () => {
    await sample();
    const other = (id: string) => `INSERT INTO workers (worker_id, host_id, hostname, pid, version, started_at_ms, beat_at_ms)
      VALUES ('${id}', 'boot-${id}', 'host-${id}', 1, '0', 1, ${clock.nowMs})`;
    edit((db) => db.exec(other('a')));
    expect(named(await inspect(), 'workers')[0]?.status).toBe('ok');
    edit((db) => db.exec(other('b')));
    expect(named(await inspect(), 'workers')).toMatchObject([
      { status: 'problem', message: 'workers of 2 machines (host-a, host-b) use one database file, which damages it.' },
    ]);
  });
});

describe('the write lock', () => {
  let child: ChildProcess | undefined;
  afterEach(async () => {
    if (child === undefined) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    child = undefined;
  });

  async function holdLock(): Promise<number> {
    await sample();
    child = spawn(process.execPath, [HOLD_LOCK, path, 'holder', HOST], { stdio: ['ignore', 'pipe', 'inherit'] });
    const { stdout, pid } = child;
    if (stdout === null || pid === undefined) throw new Error('The holder did not start');
    await once(stdout, 'data');
    return pid;
  }

  const onLinux = it.runIf(process.platform === 'linux');

  it('which another process holds is a problem, and the rest is told all the same', async () => {
    await holdLock();
    const found = await inspect();
    expect(named(found, 'lock')).toMatchObject([{ status: 'problem', message: expect.stringMatching(/the write lock/) }]);
    expect(named(found, 'integrity')).toMatchObject([{ status: 'ok' }]);
    expect(named(found, 'totals')).toMatchObject([{ status: 'ok' }]);
  });

  onLinux('names the worker that holds it', async () => {
    const pid = await holdLock();
    expect(named(await inspect(), 'lock')).toEqual([
      {
        check: 'lock',
        status: 'problem',
        message: `worker holder (pid ${pid}) has held the write lock for 3 s: nothing can be written until it goes on or ends.`,
        next: [`ps -fp ${pid}`],
      },
    ]);
  });

  onLinux('names a stopped worker that holds it, and the command that wakes it', async () => {
    const pid = await holdLock();
    process.kill(pid, 'SIGSTOP');
    await expect.poll(() => isStopped(pid)).toBe(true);
    const found = await inspect();
    expect(named(found, 'lock')).toEqual([
      {
        check: 'lock',
        status: 'problem',
        message: `worker holder (pid ${pid}) is stopped (SIGSTOP or Ctrl-Z) and holds the write lock: nothing can be written until it goes on or ends.`,
        next: [`kill -CONT ${pid}`],
      },
    ]);
    expect(named(found, 'workers')).toMatchObject([{ status: 'warning', next: [`kill -CONT ${pid}`] }]);
  });

  it.runIf(process.getuid?.() !== 0)('of a file that may not be written is a problem', async () => {
    await sample();
    chmodSync(path, 0o444);
    expect(named(await inspect(), 'lock')).toMatchObject([{ status: 'problem', message: expect.stringContaining('read-only') }]);
  });
});

describe('what stands around the database', () => {
  const machine = (type: number, freeBytes = 1e12): Machine => ({
    ...THIS_MACHINE,
    platform: 'linux',
    statfs: () => ({ type, freeBytes }),
  });
  const on = (type: number, trustUncertain = false) => inspect({ fileSystem: { trustUncertain, machine: machine(type) } });

  it('a network file system is a problem, and the file is not opened', async () => {
    await sample();
    const found = await on(0x6969);
    expect(wrong(found)).toEqual(['file-system problem']);
    expect(found.map(({ check }) => check)).toEqual(['sqlite', 'file-system', 'disk']);
  });

  it('an uncertain one is a problem until a person vouches for it, then a warning', async () => {
    await sample();
    expect(named(await on(0x65735546), 'file-system')[0]?.status).toBe('problem');
    const found = await on(0x65735546, true);
    expect(named(found, 'file-system')[0]?.status).toBe('warning');
    expect(named(found, 'integrity')).toHaveLength(1);
  });

  it('a file system in memory is a warning: it forgets', async () => {
    expect(named(await on(0x01021994), 'file-system')).toMatchObject([
      { status: 'warning', message: expect.stringContaining('answers do not survive a restart of the machine') },
    ]);
  });

  it.each([
    [31, '33 MB', 'problem'],
    [32, '34 MB', 'warning'],
    [255, '267 MB', 'warning'],
    [256, '268 MB', 'ok'],
  ])('%d MiB of free space (%s) are %s', async (mib, free, status) => {
    const found = await inspect({ fileSystem: { trustUncertain: false, machine: machine(0xef53, mib * 1024 * 1024) } });
    expect(named(found, 'disk')).toMatchObject([{ status, message: expect.stringContaining(`${free} free`) }]);
  });

  it('a long log is a warning', async () => {
    await sample();
    // Sparse: bytes that no frame refers to, as a log has after it was begun anew.
    const store = await openSqliteStore({ ...options(path, clock.read), hostId: HOST });
    truncateSync(`${path}-wal`, 64 * 1024 * 1024 + 1);
    expect(named(await inspect(), 'wal')).toMatchObject([{ status: 'warning', message: expect.stringContaining('67 MB') }]);
    await store.close();
  });

  it('a spool of a process that is gone is a warning, that of a living worker is not', async () => {
    await sample();
    mkdirSync(`${path}.spool`, { recursive: true });
    expect(named(await inspect(), 'spool')[0]?.status).toBe('ok');
    writeFileSync(join(`${path}.spool`, 'dead.spool'), 'x');
    expect(named(await inspect(), 'spool')).toMatchObject([
      { status: 'warning', message: expect.stringContaining(join(`${path}.spool`, 'dead.spool')) },
    ]);
  });
});
