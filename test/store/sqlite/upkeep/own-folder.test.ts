import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../../../src/store/sqlite/open.ts';
import { TABLES } from '../../../../src/store/sqlite/schema/migration-1-tables.ts';
import { TOTALS } from '../../../../src/store/sqlite/schema/migration-2-totals.ts';
import { REVISIONS } from '../../../../src/store/sqlite/schema/migration-3-revisions.ts';
import { migrate } from '../../../../src/store/sqlite/schema/migrations.ts';
import { ownFolder, type RunPlace } from '../../../../src/store/sqlite/upkeep/own-folder.ts';
import { newRun } from '../../rows.ts';
import { options } from '../open-store.ts';

let root = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'aieval-own-')));
});
afterEach(() => rmSync(root, { recursive: true }));

const at = (path: string): string => join(root, path);

function put(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(at(path)), { recursive: true });
    if (path.endsWith('.db')) writeFileSync(at(path), '');
    else mkdirSync(at(path), { recursive: true });
  }
}

function own(place: Partial<RunPlace>): string | null {
  return ownFolder({ runId: 'r1', outDir: at('a/runs/r1'), writtenFrom: at('a/x.db'), database: at('a/x.db'), ...place });
}

describe("the folder of a run's files", () => {
  it('is where this database was told to write, wherever that is', () => {
    expect(own({})).toBe(at('a/runs/r1'));
    expect(own({ outDir: '/elsewhere/r1' })).toBe('/elsewhere/r1');
    expect(own({ outDir: '/elsewhere/precious' })).toBeNull();
    expect(own({ writtenFrom: null })).toBeNull();
  });

  it("is a copy's own beside the copy, and never the original's", () => {
    put('a/x.db', 'a/runs/r1', 'b/x.db');
    expect(own({ database: at('b/x.db') })).toBeNull();
    put('b/runs/r1');
    expect(own({ database: at('b/x.db') })).toBe(at('b/runs/r1'));
    expect(own({ database: at('b/x.db'), outDir: '/elsewhere/r1' })).toBeNull();
    // A copy beside the original, under another name.
    put('a/backup.db');
    expect(own({ database: at('a/backup.db') })).toBeNull();
  });

  it('moves with the database', () => {
    put('b/x.db', 'b/runs/r1');
    expect(own({ database: at('b/x.db') })).toBe(at('b/runs/r1'));
    put('a/renamed.db', 'a/runs/r1');
    expect(own({ database: at('a/renamed.db') })).toBe(at('a/runs/r1'));
    expect(own({ database: at('b/x.db'), outDir: '/elsewhere/r1' })).toBeNull();
  });

  it('is not proven by a link, behind which may be what others use', () => {
    put('a/x.db', 'big/r1', 'b/x.db');
    symlinkSync(at('big'), at('a/runs'));
    symlinkSync(at('big'), at('b/runs'));
    expect(own({})).toBe(at('a/runs/r1'));
    expect(own({ database: at('b/x.db') })).toBeNull();
  });
});

describe('a store', () => {
  async function folderOf(path: string): Promise<string | null | undefined> {
    const store = await openSqliteStore(options(at(path), () => 1));
    try {
      return (await store.pruneOutlook('r1'))?.folder;
    } finally {
      await store.close();
    }
  }

  it('knows its own after it was copied, and after it was moved', async () => {
    put('a/runs/r1', 'b/runs/r1', 'c');
    const store = await openSqliteStore(options(at('a/x.db'), () => 1));
    await store.openRun(newRun('r1', { outDir: at('a/runs/r1') }));
    await store.close();
    copyFileSync(at('a/x.db'), at('b/x.db'));
    copyFileSync(at('a/x.db'), at('c/x.db'));
    expect(await folderOf('a/x.db')).toBe(at('a/runs/r1'));
    expect(await folderOf('b/x.db')).toBe(at('b/runs/r1'));
    expect(await folderOf('c/x.db')).toBeNull();
    symlinkSync(at('a'), at('link'));
    expect(await folderOf('link/x.db')).toBe(at('a/runs/r1'));
    renameSync(at('a'), at('d'));
    expect(await folderOf('d/x.db')).toBe(at('d/runs/r1'));
    expect(existsSync(at('a'))).toBe(false);
  });

  it('that an older version wrote claims what lies below its own folder only', () => {
    put('a', 'ab');
    const db = new BetterSqlite3(at('a/x.db'));
    for (const entry of [TABLES, TOTALS, REVISIONS]) db.exec(entry);
    db.pragma('user_version = 3');
    db.pragma(`application_id = ${0x61696576}`);
    for (const [runId, outDir] of [
      ['r1', at('a/runs/r1')],
      ['r2', at('ab/runs/r2')],
    ] as const) {
      db.prepare(OLD_RUN).run(runId, runId, outDir);
    }
    migrate(db, at('a/x.db'));
    expect(db.prepare('SELECT run_id, written_from FROM runs ORDER BY run_id').raw().all()).toEqual([
      ['r1', at('a/x.db')],
      ['r2', null],
    ]);
    db.close();
  });
});

const OLD_RUN = `
INSERT INTO runs (run_id, identity, holds_identity, name, state, manifest_path, manifest, settings, aggregates, out_dir, created_at_ms)
VALUES (?, ?, 1, 'n', 'planning', '/m', '{}', '{}', '{}', ?, 1)`;
