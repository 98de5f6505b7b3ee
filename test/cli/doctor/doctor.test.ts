import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { newRun } from '../../store/rows.ts';
import { options } from '../../store/sqlite/open-store.ts';
import { aieval } from '../binary.ts';

let cwd: string;
let db: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'aieval-doctor-'));
  db = join(cwd, 'aieval.db');
});
afterEach(() => rmSync(cwd, { recursive: true }));

const doctor = (...args: string[]) => aieval(['doctor', ...args], { cwd, env: { XDG_STATE_HOME: cwd } });
const withStore = async () => {
  const store = await openStore(db, options(db, Date.now));
  await store.openRun(newRun('r1'));
  await store.close();
};

describe('aieval doctor', () => {
  test('where nothing was run yet checks versions, file system and disk, and creates nothing', async () => {
    const { exitCode, stdout, stderr } = await doctor();
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^✓ aieval {7}aieval \d/);
    expect(stdout).toContain(`${join(cwd, '.aieval', 'aieval.db')} does not exist yet; the first run creates it`);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test('of a sound database exits 0, as text and as JSON', async () => {
    await withStore();
    expect(await doctor('--db', db)).toMatchObject({ exitCode: 0, stderr: '' });
    const { exitCode, stdout, stderr } = await doctor('--db', db, '--json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const { v, checks } = JSON.parse(stdout);
    expect(v).toBe(1);
    expect(checks.map(({ check }: { check: string }) => check)).toEqual([
      ...['aieval', 'node', 'sqlite', 'file-system', 'disk', 'schema', 'integrity', 'foreign-keys', 'totals', 'work', 'lock', 'workers'],
      ...['leases', 'spool', 'wal', 'folders', 'clock', 'proxy', 'ci', 'config', 'terminal'],
    ]);
    expect(checks[0]).toEqual({ check: 'aieval', status: 'ok', message: expect.stringContaining('aieval'), next: [] });
  });

  test('with a problem exits 8 and says what helps', async () => {
    await withStore();
    const edit = new BetterSqlite3(db);
    edit.exec(`INSERT INTO run_totals (run_id, task, model, total) VALUES ('r1', 't', 'm', 1)`);
    edit.close();
    const { exitCode, stdout } = await doctor('--db', db, '--quiet');
    expect(exitCode).toBe(8);
    expect(stdout.split('\n')).toEqual([
      '✗ totals  problem: totals that are not the sums over the jobs: run r1, task t, model m',
      '          next: please report this: it is a bug in aieval, or another program wrote to the database',
      '',
    ]);
    const json = await doctor('--db', db, '--json');
    expect(json.exitCode).toBe(8);
    expect(JSON.parse(json.stdout).checks).toContainEqual(expect.objectContaining({ check: 'totals', status: 'problem' }));
  });

  test('of a file that is no database is a finding, not a crash', async () => {
    writeFileSync(db, 'These are not the bytes of a database, but enough of them to tell.'.repeat(20));
    const { exitCode, stdout, stderr } = await doctor('--db', db);
    expect({ exitCode, stderr }).toEqual({ exitCode: 8, stderr: '' });
    expect(stdout).toContain(`✗ schema       problem: ${db} is not a database; nothing was changed.`);
    expect(stdout).toMatch(/1 problem\n$/);
  });
});

test('--trust-fs is accepted before and after the command, and changes nothing on a local disk', async () => {
  await withStore();
  for (const args of [
    ['--trust-fs', 'doctor'],
    ['doctor', '--trust-fs'],
  ]) {
    expect(await aieval([...args, '--db', db], { cwd })).toMatchObject({ exitCode: 0, stderr: '' });
  }
  expect(existsSync(join(cwd, '.aieval'))).toBe(false);
});
