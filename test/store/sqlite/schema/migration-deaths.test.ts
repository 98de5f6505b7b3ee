import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Bench, START_MS } from '../../bench.ts';
import { MANIFEST, newRun } from '../../rows.ts';
import { begin, deathsIn, die, inPairs } from '../crash/deaths.ts';
import { drain } from '../crash/drain.ts';
import { dump, expectSound } from '../crash/invariants.ts';
import { openIn } from '../crash/open-file.ts';
import { plan } from '../crash/operation-rows.ts';
import { watchedDatabase } from '../crash/watched-database.mjs';

const LIMIT_MS = 300_000;

let root: string;
/** Entry n brings a database from version n to n + 1, as the program itself executes them on a new file. */
let migrations: readonly string[];

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'aieval-migrations-'));
  const statements: string[] = [];
  const openDatabase = (path: string) =>
    watchedDatabase(new BetterSqlite3(path, { timeout: 0 }), (text, execute) => {
      statements.push(text);
      return execute();
    });
  await (await openIn(folder, START_MS, { openDatabase })).close();
  migrations = statements.filter((text) => text.includes('CREATE '));
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aieval-deaths-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const INSERT_RUN = `
INSERT INTO runs (run_id, identity, holds_identity, name, state, manifest_path, manifest, settings, aggregates, out_dir, created_at_ms)
VALUES (:runId, :identity, 1, :name, 'planning', :manifestPath, :manifest, :settings, :aggregates, :outDir, 1)`;

/** A database as an earlier version left it, with a run that was being planned. */
function ofVersion(path: string, version: number): void {
  const db = new BetterSqlite3(path);
  db.pragma('journal_mode = WAL');
  for (const migration of migrations.slice(0, version)) db.exec(migration);
  const { runId, identity, name, manifestPath, outDir, settings, aggregates } = newRun('r1');
  const texts = { manifest: JSON.stringify(MANIFEST), settings: JSON.stringify(settings), aggregates: JSON.stringify(aggregates) };
  db.prepare(INSERT_RUN).run({ runId, identity, name, manifestPath, outDir, ...texts });
  db.pragma(`application_id = ${0x61696576}`);
  db.pragma(`user_version = ${version}`);
  db.close();
}

/** Each new store gets an id of its own. */
const UNCOMPARED = ['store'];

/** The version and the rows that a death left. */
function left(folder: string): string {
  const path = join(folder, 'aieval.db');
  if (!existsSync(path)) return 'nothing';
  const db = new BetterSqlite3(path);
  const state = `${String(db.pragma('user_version', { simple: true }))}\n${dump(db, UNCOMPARED)}`;
  db.close();
  return state;
}

/** Opens what is there, plans the run or takes its plan up, and does its work. */
async function expectUsable(folder: string): Promise<void> {
  const { store, clock, db, close } = await openIn(folder, START_MS);
  expect(db.pragma('user_version', { simple: true })).toBe(migrations.length);
  const bench = new Bench(store, clock);
  await plan(bench);
  expect((await drain(bench)).calls).toHaveLength(3);
  expect(await store.runTotals('r1')).toMatchObject({ jobs: { total: 4, succeeded: 4 }, calls: 3 });
  expect(await store.listRuns()).toHaveLength(1);
  await expectSound(db, bench, ['r1']);
  await close();
}

describe('a process that dies while it migrates leaves the old version or the new one, and the next one opens it', () => {
  it('of a new file', { timeout: LIMIT_MS }, () => dieWhileOpening(0));

  it('of a file of each earlier version', { timeout: LIMIT_MS }, async () => {
    for (let version = 1; version < migrations.length; version += 1) await dieWhileOpening(version);
  });
});

async function dieWhileOpening(version: number): Promise<void> {
  const folder = join(root, `version-${version}`);
  mkdirSync(folder);
  if (version > 0) ofVersion(join(folder, 'aieval.db'), version);
  const start = begin(folder, START_MS);
  const whole = new Set<string>();
  await inPairs(await deathsIn(start, 'open'), async (death) => {
    const remains = await die(start, 'open', death);
    const state = left(remains.folder);
    if (death.commits > 0) whole.add(state);
    else expect(state.split('\n')[0]).toMatch(version === 0 ? /^(nothing|0)$/ : String(version));
    if (death.commits === 0 && version > 0) expect(state).toBe(left(folder));
    await expectUsable(remains.folder);
  });
  expect(whole.size).toBe(1);
}
