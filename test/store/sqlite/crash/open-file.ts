import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { openSqliteStore } from '../../../../src/store/sqlite/open.ts';
import type { SqliteOptions } from '../../../../src/store/sqlite/options.ts';
import type { Store } from '../../../../src/store/store.ts';
import { Clock } from '../../bench.ts';
import { options } from '../open-store.ts';

export type OpenedStore = {
  readonly path: string;
  readonly clock: Clock;
  readonly store: Store;
  /** A connection of the test's own. */
  readonly db: Database;
  readonly close: () => Promise<void>;
};

/** The store in `folder`, which outlives it: what one test process left there, the next one finds. */
export async function openIn(folder: string, nowMs: number, changes: Partial<SqliteOptions> = {}): Promise<OpenedStore> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'aieval.db');
  const clock = new Clock();
  clock.nowMs = nowMs;
  const store = await openSqliteStore({ ...options(path, clock.read), ...changes });
  const db = new BetterSqlite3(path);
  const close = async (): Promise<void> => {
    await store.close();
    db.close();
  };
  return { path, clock, store, db, close };
}
