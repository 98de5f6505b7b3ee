import BetterSqlite3, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LeaseWatch } from '../../../../src/store/lease-watch.ts';
import { openFile } from '../../../../src/store/sqlite/connection.ts';
import { Transactor } from '../../../../src/store/sqlite/transactor.ts';
import { Upkeep } from '../../../../src/store/sqlite/upkeep/upkeep.ts';
import type { Store } from '../../../../src/store/store.ts';
import type { Claim } from '../../../../src/store/work.ts';
import { Bench, Clock, finishOf, isUnreduced } from '../../bench.ts';
import { chunk, failure, INVALID, job, jobOfKey, RETRY, reduce, settings } from '../../rows.ts';
import { openTempStore, type SqliteBench } from '../open-store.ts';

let opened: SqliteBench;
let bench: Bench;

beforeEach(async () => {
  const clock = new Clock();
  opened = await openTempStore(clock.read);
  bench = new Bench(opened.store, clock);
});
afterEach(() => opened.dispose());

/** A run in which every kind of row occurs: hits, re-asks, failures, retries, an unusable document's job, a finished and a cancelled end. */
async function variedRun(at: Bench, runId: string): Promise<void> {
  const jobs = [
    jobOfKey(`${runId}-1`, 0, 'shared'),
    jobOfKey(`${runId}-2`, 1, 'shared'),
    jobOfKey(`${runId}-3`, 2, `mended in ${runId}`),
    jobOfKey(`${runId}-4`, 3, `bad in ${runId}`),
    job(`${runId}-5`, 4, { steps: [chunk(`a of ${runId}`), chunk(`b of ${runId}`, 1)] }),
    job(`${runId}-6`, 5, { steps: [], failure: { reason: 'document_empty', message: 'empty' } }),
  ];
  await at.plan(runId, jobs, { settings: settings({ retry: { ...RETRY, attempts: 2, lostLeases: 3 } }) });
  let failed = 0;
  for (let reply = await at.claim(runId); reply.kind === 'claimed'; reply = await at.claim(runId)) {
    const { claim } = reply;
    const { work } = claim;
    if (work.kind === 'finish') await conclude(at, claim, runId);
    else if (work.key.startsWith('mended') && work.stepKind !== 'reask') await at.supersede(claim);
    else if (work.key.startsWith('bad'))
      await at.fail(claim, failed++ === 0 ? INVALID : failure({ class: 'permanent', reason: 'refused' }));
    else {
      const settled = await at.answer(claim);
      if (settled.applied && settled.finish !== null) await conclude(at, settled.finish, runId);
    }
    at.clock.pass(60_000);
  }
  await at.store.finishRun(runId);
}

/** Answers of parts are reduced first. */
async function conclude(at: Bench, claim: Claim, runId: string): Promise<void> {
  if (claim.work.kind === 'finish' && isUnreduced(claim.work))
    await at.store.settle(claim.token, { kind: 'reduce', step: reduce(`of ${runId}`) });
  else await at.finish(claim);
}

const violations = (db: Database): unknown[] => db.prepare('PRAGMA foreign_key_check').all();

/** Rows of the run in every table that has any. */
function rowsOf(db: Database, runId: string): Record<string, number> {
  const tables = db
    .prepare<[], string>(`SELECT m.name FROM sqlite_schema m WHERE m.type = 'table' AND EXISTS (
      SELECT 1 FROM pragma_table_info(m.name) WHERE name = 'run_id') AND m.name <> 'responses'`)
    .pluck()
    .all();
  return Object.fromEntries(
    tables.map((table) => [table, Number(db.prepare(`SELECT count(*) FROM ${table} WHERE run_id = ?`).pluck().get(runId))]),
  );
}

describe('pruning', () => {
  it('leaves no row of the run, and no reference to nothing', async () => {
    await variedRun(bench, 'r1');
    await variedRun(bench, 'r2');
    opened.db.exec(`UPDATE calls SET latency_ms = 1200 WHERE state = 'settled'`);
    const before = rowsOf(opened.db, 'r2');
    expect(
      Object.entries(rowsOf(opened.db, 'r1')).filter(([table, rows]) => rows === 0 && table !== 'workers' && table !== 'paused_models'),
    ).toEqual([]);
    await opened.store.pruneRun('r1');
    expect(Object.values(rowsOf(opened.db, 'r1')).every((rows) => rows === 0)).toBe(true);
    expect(rowsOf(opened.db, 'r2')).toEqual(before);
    expect(violations(opened.db)).toEqual([]);
    await opened.store.invalidateCache({ model: null, namespace: null, endpoint: null, storedBeforeMs: null });
    await opened.store.pruneUnused({ dryRun: false });
    expect(violations(opened.db)).toEqual([]);
    await opened.store.pruneRun('r2');
    await opened.store.pruneUnused({ dryRun: false });
    expect(violations(opened.db)).toEqual([]);
    for (const table of ['texts', 'structures', 'key_records', 'responses']) {
      expect(opened.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(), table).toBe(0);
    }
  });

  it('an answer that stays keeps what was paid for it, also what became known late', async () => {
    await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
    await bench.complete(await bench.claimed('r1'));
    await bench.store.finishRun('r1');
    opened.db.exec('UPDATE calls SET cost_nano_usd = 9000');
    await bench.store.pruneRun('r1');
    expect(await bench.store.cacheEntries({ after: '', limit: 1 })).toMatchObject([
      { origin: { runId: 'r1', jobId: 'j1', costNanoUsd: 9000 } },
    ]);
  });

  it('deletes a large run in many short transactions', async () => {
    const jobs = Array.from({ length: 450 }, (_, seq) => jobOfKey(`j${seq}`, seq, 'one key'));
    await bench.plan('r1', jobs);
    await bench.complete(await bench.claimed('r1'));
    await bench.store.cancelRun('r1');
    const commits: string[] = [];
    const store = await opened.another({ openDatabase: (path) => counting(path, commits) });
    commits.length = 0;
    expect(await store.pruneRun('r1')).toMatchObject({ jobs: 450, calls: 1 });
    expect(commits.length).toBeGreaterThan(4);
    expect(rowsOf(opened.db, 'r1')).toMatchObject({ jobs: 0, runs: 0 });
  });

  it('that died at any commit is ended by the next, and the run is gone from the first one on', async () => {
    for (let commits = 1; ; commits += 1) {
      const runId = `r${commits}`;
      await variedRun(bench, runId);
      await opened.store.invalidateCache({ model: null, namespace: null, endpoint: null, storedBeforeMs: null });
      const dying = await opened.another({ openDatabase: (path) => dyingAfter(path, commits) });
      const died = await dying.pruneRun(runId).then(
        () => false,
        () => true,
      );
      expect(await opened.store.getRun(runId)).toBeNull();
      expect(violations(opened.db)).toEqual([]);
      if (!died) {
        expect(commits).toBeGreaterThan(3);
        return;
      }
      await end(opened.store, runId, commits);
      expect(rowsOf(opened.db, runId)).toMatchObject({ jobs: 0, steps: 0, calls: 0, runs: 0 });
      expect(violations(opened.db)).toEqual([]);
    }
  });

  it('spares the answer that another run is judging, until it is judged', async () => {
    await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
    const crashed = await bench.claimed('r1', 'w1');
    await bench.call(crashed);
    opened.db.exec(`UPDATE steps SET state = 'cancelled', gate = NULL, counted = 0, lease_token = NULL, lease_owner = NULL, leased_at_ms = NULL,
      lease_expires_at_ms = NULL, deadline_at_ms = NULL`);
    await bench.store.cancelRun('r1');
    await bench.plan('r2', [jobOfKey('j1', 0, 'k1')]);
    const judge = await bench.claimed('r2', 'w2');
    expect(judge.work).toMatchObject({ kind: 'judge', callToken: crashed.token });
    await bench.store.pruneRun('r1');
    await bench.store.pruneUnused({ dryRun: false });
    await bench.finish(finishOf(await bench.accept(judge, { findings: [] }, crashed.token)));
    expect(await bench.row('r2', 'j1')).toMatchObject({ state: 'succeeded' });
    expect(violations(opened.db)).toEqual([]);
  });

  it('takes with it an answer that nobody judged, so that no later run is promised it', async () => {
    await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
    await bench.call(await bench.claimed('r1', 'w1'));
    opened.db.exec(`UPDATE steps SET state = 'cancelled', gate = NULL, counted = 0, lease_token = NULL, lease_owner = NULL, leased_at_ms = NULL,
      lease_expires_at_ms = NULL, deadline_at_ms = NULL`);
    await bench.store.cancelRun('r1');
    await bench.plan('r2', [jobOfKey('j1', 0, 'k1')]);
    await bench.store.pruneRun('r1');
    expect(await bench.store.pruneUnused({ dryRun: false })).toMatchObject({ rows: 1 });
    expect((await bench.claimed('r2')).work.kind).toBe('call');
  });

  it('a person who asks for a run that is being pruned hears that it is gone', async () => {
    await variedRun(bench, 'r1');
    opened.db.exec(`UPDATE runs SET pruned_at_ms = 1`);
    const selection = { of: 'dlq', jobIds: null, reasons: null } as const;
    await expect(bench.store.retryJobs('r1', selection)).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining('r1') });
  });
});

describe('compaction', () => {
  it('gives the space of pruned runs back to the file system', async () => {
    const big = 'x'.repeat(200_000);
    await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
    const claim = await bench.claimed('r1');
    await bench.call(claim, big);
    await bench.finish(finishOf(await bench.accept(claim)));
    await bench.store.finishRun('r1');
    for (const id of ['w1', 'w2', 'w3']) await bench.store.removeWorker(id);
    const pages = () => Number(opened.db.pragma('page_count', { simple: true }));
    const before = pages();
    await bench.store.pruneRun('r1');
    await bench.store.invalidateCache({ model: null, namespace: null, endpoint: null, storedBeforeMs: null });
    await bench.store.pruneUnused({ dryRun: false });
    expect(await bench.store.compact()).toBe('done');
    expect(before - pages()).toBeGreaterThan(40);
    expect(opened.db.pragma('integrity_check', { simple: true })).toBe('ok');
  });

  it('is left while somebody holds the write lock', async () => {
    await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
    for (const id of ['w1', 'w2', 'w3']) await bench.store.removeWorker(id);
    opened.db.exec('BEGIN IMMEDIATE');
    expect(await bench.store.compact()).toBe('busy');
    opened.db.exec('ROLLBACK');
    expect(await bench.store.compact()).toBe('done');
  });
});

it('a large database is not rewritten while others wait: its space is kept for what comes next', async () => {
  await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
  await bench.store.cancelRun('r1');
  for (const id of ['w1', 'w2', 'w3']) await bench.store.removeWorker(id);
  opened.db.exec('CREATE TABLE filler (value BLOB); INSERT INTO filler VALUES (zeroblob(1000000)); DROP TABLE filler');
  const transactor = new Transactor(opened.db, opened.path, { ...CONTEXT, watch: new LeaseWatch(() => 0) });
  const compactBelow = (longestVacuumBytes: number) =>
    new Upkeep({
      transactor,
      path: opened.path,
      openDatabase: openFile,
      context: { ...CONTEXT, watch: new LeaseWatch(() => 0) },
      longestVacuumBytes,
    });
  const pages = () => Number(opened.db.pragma('page_count', { simple: true }));
  const before = pages();
  expect(await compactBelow(10_000).compact()).toBe('kept');
  expect(pages()).toBe(before);
  expect(await compactBelow(10_000_000).compact()).toBe('done');
  expect(pages()).toBeLessThan(before - 200);
});

const CONTEXT = { clock: () => 1, random: () => 0.5, newToken: () => 'token' };

/** Alternately what ends a pruning that was begun: the same verb again, or the care for what is unused. */
async function end(store: Store, runId: string, round: number): Promise<void> {
  if (round % 2 === 0) await store.pruneRun(runId);
  else await store.pruneUnused({ dryRun: false });
}

/** Runs `before` at each COMMIT of a connection. */
function watched(path: string, before: () => void): Database {
  const db = new BetterSqlite3(path, { timeout: 0 });
  const prepare = db.prepare.bind(db);
  db.prepare = ((source: string) => {
    const statement = prepare(source);
    if (source !== 'COMMIT') return statement;
    const run = statement.run.bind(statement);
    statement.run = (...params: unknown[]) => {
      before();
      return run(...params);
    };
    return statement;
  }) as typeof db.prepare;
  return db;
}

function counting(path: string, commits: string[]): Database {
  return watched(path, () => commits.push(path));
}

/** As a process that is killed at its nth write would leave the file: nothing of that write, and nothing after it. */
function dyingAfter(path: string, commits: number): Database {
  let left = commits;
  return watched(path, () => {
    left -= 1;
    if (left < 0) throw new Error('killed');
  });
}
