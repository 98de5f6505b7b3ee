import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import type { SqliteOptions } from '../../../src/store/sqlite/options.ts';
import type { Store } from '../../../src/store/store.ts';
import type { OpenedStore } from '../contract.ts';

export type SqliteBench = OpenedStore & {
  readonly path: string;
  readonly folder: string;
  /** A connection of the test's own. */
  readonly db: Database;
  /** A second store on the same file, as another process has it. */
  readonly another: (changes?: Partial<SqliteOptions>) => Promise<Store>;
};

/** A store on a new file in a temporary folder. */
export async function openTempStore(clock: () => number, changes: Partial<SqliteOptions> = {}): Promise<SqliteBench> {
  const folder = mkdtempSync(join(tmpdir(), 'aieval-store-'));
  const path = join(folder, 'aieval.db');
  const store = await openSqliteStore({ ...options(path, clock), ...changes });
  const stores: Store[] = [store];
  const db = new BetterSqlite3(path);
  return {
    store,
    path,
    folder,
    db,
    another: async (more: Partial<SqliteOptions> = {}) => {
      const other = await openSqliteStore({ ...options(path, clock), ...more });
      stores.push(other);
      return other;
    },
    setMaxRunning: (value) => void db.prepare(`INSERT INTO settings (name, value) VALUES ('maxRunning', ?)`).run(value),
    dispose: async () => {
      db.close();
      for (const one of stores) await one.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Options for a file, with tokens that count upwards and no chance. */
export function options(path: string, clock: () => number): SqliteOptions {
  return { path, clock, monotonic: clock, hostId: 'boot-1', random: () => 0.5, newToken: () => crypto.randomUUID(), heartbeatThread: null };
}
