import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import type { SqliteOptions } from '../../../src/store/sqlite/options.ts';
import { INVARIANTS } from '../../../src/store/sqlite/schema/invariants.ts';
import { TABLES } from '../../../src/store/sqlite/schema/migration-1-tables.ts';
import { TOTALS } from '../../../src/store/sqlite/schema/migration-2-totals.ts';
import { REVISIONS } from '../../../src/store/sqlite/schema/migration-3-revisions.ts';
import { CONTROL } from '../../../src/store/sqlite/schema/migration-4-control.ts';
import { PACE } from '../../../src/store/sqlite/schema/migration-5-pace.ts';
import { SCHEMA_VERSION } from '../../../src/store/sqlite/schema/migrations.ts';
import { ASKING } from '../../engine/asking.ts';
import { Bench, Clock } from '../bench.ts';
import { jobOfKey, MANIFEST, newRun, settings } from '../rows.ts';
import { options } from './open-store.ts';

const { lab: LAB } = ASKING.providers;
const { model: MODEL } = ASKING.models;
const { task: TASK } = ASKING.tasks;
if (LAB === undefined || MODEL === undefined || TASK === undefined) throw new Error('The sample has other names');

const OLD_RETRY = { attempts: 3, lostLeases: 3 };
/** As versions before 5 wrote them, with all that they knew. */
const OLD_MANIFEST = (({ budget: _, sample: __, failFast: ___, outputs: ____, privacy: _____, maxQueueDepth: ______, ...known }) => ({
  ...known,
  retry: OLD_RETRY,
}))(MANIFEST);
const OLD_SETTINGS = (({ budget: _, failFast: __, rates: ___, ...known }) => ({ ...known, retry: OLD_RETRY }))(settings());

describe('openSqliteStore', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'aieval-open-'));
    path = join(folder, 'aieval.db');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const open = (changes: Partial<SqliteOptions> = {}) => openSqliteStore({ ...options(path, () => 1000), ...changes });

  /** The message, code and exit of the refusal. */
  async function refusal(changes: Partial<SqliteOptions> = {}) {
    const error: unknown = await open(changes).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ name: 'UserError', exitCode: 8, next: [expect.any(String)] });
    return error instanceof Error ? error.message : '';
  }

  function edit(change: (db: Database) => void): void {
    const db = new BetterSqlite3(path);
    change(db);
    db.close();
  }

  it('opening twice migrates once and keeps what is there', async () => {
    const first = await open();
    await first.openRun(newRun('r1'));
    await first.close();
    const second = await open();
    expect((await second.getRun('r1'))?.runId).toBe('r1');
    await second.close();
  });

  it('a database of an older version is brought up to date and keeps what is there', async () => {
    edit((db) => {
      db.exec(TABLES);
      db.exec(TOTALS);
      db.exec(`INSERT INTO runs (run_id, identity, holds_identity, name, state, manifest_path, manifest, settings, aggregates, out_dir, created_at_ms)
        VALUES ('r1', 'i', 1, 'n', 'planning', '/m', '${JSON.stringify(OLD_MANIFEST)}', '${JSON.stringify(OLD_SETTINGS)}', '{}', '/out', 1)`);
      db.pragma(`application_id = ${0x61696576}`);
      db.pragma('user_version = 2');
    });
    const store = await open();
    const before = await store.getRun('r1');
    expect(before).toMatchObject({ runId: 'r1', settings: { rates: {} } });
    await store.markPlanned('r1');
    expect(await store.getRun('r1')).toMatchObject({ state: 'open', revision: (before?.revision ?? 0) + 1 });
    await store.close();
  });

  it('answers, and what they cost, are served from a database of version 3', async () => {
    edit((db) => {
      for (const migration of [TABLES, TOTALS, REVISIONS]) db.exec(migration);
      db.exec(`
        INSERT INTO runs (run_id, identity, holds_identity, name, state, manifest_path, manifest, settings, aggregates, out_dir, created_at_ms)
          VALUES ('old', 'i', 1, 'n', 'planning', '/m', '{}', '{}', '{}', '/out', 1);
        INSERT INTO texts VALUES ('t', 'text');
        INSERT INTO structures VALUES ('s', '{}');
        INSERT INTO documents (run_id, document_id, path, tags, text_sha256, structure_sha256) VALUES ('old', 'a.md', '/a.md', '[]', 't', 's');
        INSERT INTO lanes (lane_id, label) VALUES ('l', 'lab');
        INSERT INTO run_lanes VALUES ('old', 'l', 1);
        INSERT INTO key_records VALUES ('k', '{}');
        INSERT INTO jobs (run_id, job_id, seq, document_id, text_sha256, task, model, repeat, state) VALUES ('old', 'j', 0, 'a.md', 't', 'task', 'm', 0, 'queued');
        INSERT INTO steps (run_id, job_id, kind, step_index, key, flight_key, lane_id, input_tokens, state, order_ms, seq, run_at_ms, outcome)
          VALUES ('old', 'j', 'answer', 0, 'k', 'k', 'l', 1, 'succeeded', 1, 0, 1, 'answered');
        INSERT INTO calls (call_token, run_id, job_id, step_id, state, cost_nano_usd, reserved_at_ms, settled_at_ms)
          VALUES ('c', 'old', 'j', 1, 'settled', 700, 1, 2);
        INSERT INTO responses (call_token, run_id, job_id, key, step_kind, completion, latency_ms, recorded_at_ms, judgement, judged_at_ms, answer)
          VALUES ('c', 'old', 'j', 'k', 'answer', '{}', 5, 2, 'valid', 3, '1');
        INSERT INTO cache VALUES ('k', 'c', 3);`);
      db.pragma(`application_id = ${0x61696576}`);
      db.pragma('user_version = 3');
    });
    const store = await open();
    const bench = new Bench(store, new Clock());
    await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
    await bench.finish(await bench.claimed('r1'));
    expect(await bench.row('r1', 'j1')).toMatchObject({
      cached: true,
      calls: 0,
      origin: { runId: 'old', jobId: 'j', costNanoUsd: 700, latencyMs: 5 },
    });
    edit((db) => expect(db.pragma('foreign_key_check')).toEqual([]));
    await store.close();
  });

  it('a run of version 4 in the middle of its work gets limits, a budget and sums that are true', async () => {
    const { requestsPerMinute: _, tokensPerMinute: __, tokenAccounting: ___, ...lab } = LAB;
    const { group: ____, ...model } = MODEL;
    const manifest = { ...OLD_MANIFEST, providers: { lab }, models: { m: { ...model, id: 'm' } } };
    const rates = { m: { price: 'free', maxOutputTokens: 500 } };
    // Of a run that was there before version 4, the prices stand in the manifest alone.
    const price = { inputPerMTok: 1, outputPerMTok: 2 };
    const older = {
      m: { ...model, price, params: { maxOutputTokens: 9 } },
      free: { ...model, price: 'free', params: {} },
      none: { ...model, price: null, params: {} },
    };
    edit((db) => {
      for (const migration of [TABLES, TOTALS, REVISIONS, CONTROL]) db.exec(migration);
      db.exec(`
        INSERT INTO runs (run_id, identity, holds_identity, name, state, manifest_path, manifest, settings, aggregates, out_dir, created_at_ms,
          planned_at_ms)
          VALUES ('r1', 'i', 1, 'n', 'open', '/m', '${JSON.stringify(manifest)}', '${JSON.stringify({ ...OLD_SETTINGS, rates })}', '{}',
          '/out', 1, 1);
        INSERT INTO runs (run_id, identity, holds_identity, name, state, manifest_path, manifest, settings, aggregates, out_dir, created_at_ms)
          VALUES ('r2', 'i2', 1, 'n', 'planning', '/m', '${JSON.stringify({ ...manifest, models: older })}',
          '${JSON.stringify({ ...OLD_SETTINGS, rates: {} })}', '{}', '/out', 1);
        INSERT INTO texts VALUES ('t', 'text');
        INSERT INTO structures VALUES ('s', '{}');
        INSERT INTO documents (run_id, document_id, path, tags, text_sha256, structure_sha256) VALUES ('r1', 'a.md', '/a.md', '[]', 't', 's');
        INSERT INTO lanes (lane_id, label, cooldown_until_ms) VALUES ('l', 'lab', 99);
        INSERT INTO run_lanes VALUES ('r1', 'l', 1);
        INSERT INTO key_records VALUES ('k', '{}');
        INSERT INTO jobs (run_id, job_id, seq, document_id, text_sha256, task, model, repeat, state)
          VALUES ('r1', 'j', 0, 'a.md', 't', 'task', 'm', 0, 'running');
        INSERT INTO steps (run_id, job_id, kind, step_index, key, flight_key, lane_id, gate, input_tokens, state, order_ms, seq, run_at_ms,
          lease_token, lease_owner, leased_at_ms, lease_expires_at_ms, deadline_at_ms, counted)
          VALUES ('r1', 'j', 'answer', 0, 'k', 'k', 'l', 'l', 100, 'running', 1, 0, 1, 'c', 'w', 1, 2, 3, 1);
        INSERT INTO calls (call_token, run_id, job_id, step_id, state, worst_nano_usd, reserved_at_ms, sent_at_ms)
          VALUES ('c', 'r1', 'j', 1, 'reserved', 0, 1, 1);
        UPDATE calls SET state = 'sent';`);
      db.pragma(`application_id = ${0x61696576}`);
      db.pragma('user_version = 4');
    });
    const store = await open();
    const run = await store.getRun('r1');
    expect(run?.settings).toMatchObject({ retry: { attempts: 3, maxWaitMs: 120_000 }, budget: null, failFast: null, rates });
    expect(run?.manifest).toMatchObject({
      retry: { maxWaitMs: 120_000 },
      ...{ budget: null, sample: null, failFast: null },
      providers: { lab: { type: 'openai', requestsPerMinute: null, tokensPerMinute: null, tokenAccounting: 'reserved' } },
      models: { m: { provider: 'lab', group: null } },
    });
    expect((await store.getRun('r2'))?.settings.rates).toEqual({
      m: { price, maxOutputTokens: 9 },
      free: { price: 'free', maxOutputTokens: null },
      none: { price: null, maxOutputTokens: null },
    });
    edit((db) => {
      expect(db.prepare('SELECT worst_tokens FROM calls').pluck().get()).toBe(600);
      expect(INVARIANTS.filter(({ sql }) => db.prepare(sql).all().length > 0).map(({ name }) => name)).toEqual([]);
    });
    expect(await store.settle('c', { kind: 'handed_back' })).toMatchObject({ applied: true });
    await store.close();
  });

  it('a run of version 5 gets texts, tasks and checks that this version reads', async () => {
    const check = { id: 'evidence', at: '/findings/*/quote', severity: 'must', type: 'evidence', minChars: 12, minVerified: 0, page: null };
    const count = { id: 'count', at: '/findings', severity: 'must', type: 'count', where: { type: 'object' }, min: 1, max: null };
    const { chunk: _, merge: __, ...task } = TASK;
    const tasks = { b: { ...task, id: 'b', checks: [check, count] }, a: { ...task, id: 'a', repeats: 2 } };
    const { outputs: ___, privacy: ____, maxQueueDepth: _____, ...old } = MANIFEST;
    const structure = {
      format: 'markdown',
      extractor: 'markdown@1',
      title: null,
      pages: [],
      sections: [],
      lines: { start: [0], number: [1] },
      warnings: [],
    };
    edit((db) => {
      for (const migration of [TABLES, TOTALS, REVISIONS, CONTROL, PACE]) db.exec(migration);
      db.exec(`
        INSERT INTO runs (run_id, identity, holds_identity, name, state, manifest_path, manifest, settings, aggregates, out_dir, created_at_ms)
          VALUES ('r1', 'i', 1, 'n', 'planning', '/m', '${JSON.stringify({ ...old, tasks })}', '${JSON.stringify(settings())}', '{}', '/out', 1);
        INSERT INTO texts VALUES ('t', 'text');
        INSERT INTO structures VALUES ('s', '${JSON.stringify(structure)}');
        INSERT INTO documents (run_id, document_id, path, tags, text_sha256, structure_sha256) VALUES ('r1', 'a.md', '/a.md', '[]', 't', 's');`);
      db.pragma(`application_id = ${0x61696576}`);
      db.pragma('user_version = 5');
    });
    const store = await open();
    const { manifest } = (await store.getRun('r1')) ?? {};
    expect(manifest).toEqual({
      ...MANIFEST,
      tasks: {
        b: { ...tasks.b, checks: [{ ...check, line: null, elided: 'accept', absence: 'review' }, count], chunk: null, merge: null },
        a: { ...tasks.a, chunk: null, merge: null },
      },
    });
    expect(Object.keys(manifest?.tasks ?? {})).toEqual(['b', 'a']);
    expect(await store.canonicalText('r1', 'a.md')).toEqual({ ...structure, text: 'text', textSha256: 't', blocks: [], lostPages: [] });
    await store.close();
  });

  it('processes that open a new file together all succeed', async () => {
    const stores = await Promise.all([open(), open(), open(), open()]);
    await Promise.all(stores.map((store, i) => store.openRun(newRun(`r${i}`))));
    expect(await stores[0]?.listRuns()).toHaveLength(4);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('a database of a newer version is refused, with the command that helps, and left as it is', async () => {
    await (await open()).close();
    edit((db) => db.pragma('user_version = 99'));
    expect(await refusal()).toBe(`${path} was written by a newer aieval (schema 99; this one reads up to ${SCHEMA_VERSION}).`);
    edit((db) => expect(db.pragma('user_version', { simple: true })).toBe(99));
  });

  it('a database of another program is refused', async () => {
    edit((db) => db.exec('CREATE TABLE bookmarks (url TEXT)'));
    expect(await refusal()).toBe(`${path} is a database of another program; nothing was changed.`);
    edit((db) => expect(db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()).toBe(1));
  });

  it('a file that is no database is refused', async () => {
    writeFileSync(path, 'These are not the bytes of a database, but enough of them to tell.'.repeat(20));
    expect(await refusal()).toBe(`${path} is not a database; nothing was changed.`);
  });

  it('a missing folder is refused by name', async () => {
    path = join(folder, 'none', 'aieval.db');
    expect(await refusal()).toBe(`cannot open ${path}: the folder ${join(folder, 'none')} does not exist.`);
  });

  it('a folder in place of the file is refused', async () => {
    path = folder;
    expect(await refusal()).toContain(`cannot open ${folder}`);
  });

  it('a read-only database is refused', async () => {
    await (await open()).close();
    const readonly = (file: string) => new BetterSqlite3(file, { readonly: true, timeout: 0 });
    expect(await refusal({ openDatabase: readonly })).toContain(`${path} is read-only`);
  });

  it('an old SQLite is refused, because it can corrupt the file', async () => {
    const old = (file: string) => {
      const db = new BetterSqlite3(file, { timeout: 0 });
      return db.function('sqlite_version', () => '3.51.2');
    };
    expect(await refusal({ openDatabase: old })).toContain('SQLite 3.51.2 can corrupt the database; 3.51.3 or newer is needed');
  });

  it('every connection commits with synchronous=FULL, also one that did not create the file', async () => {
    const opened: Database[] = [];
    const spy = (file: string) => {
      const db = new BetterSqlite3(file, { timeout: 0 });
      opened.push(db);
      return db;
    };
    const stores = [await open({ openDatabase: spy }), await open({ openDatabase: spy })];
    const pragmas = ['synchronous', 'journal_mode', 'foreign_keys', 'trusted_schema', 'busy_timeout'];
    for (const db of opened) expect(pragmas.map((pragma) => db.pragma(pragma, { simple: true }))).toEqual([2, 'wal', 1, 0, 0]);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('a store is named by a path, bare or after sqlite:, and by no other scheme', async () => {
    const { path: _, ...rest } = options(path, () => 1000);
    await (await openStore(path, rest)).close();
    const store = await openStore(`sqlite:${path}`, rest);
    await store.close();
    await expect(openStore('mysql://db.example/aieval', rest)).rejects.toMatchObject({ name: 'UserError', exitCode: 2 });
  });
});
