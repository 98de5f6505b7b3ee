import type { Database } from 'better-sqlite3';
import type { Gone, Pruned } from '../../maintenance.ts';
import { configure, type OpenDatabase } from '../connection.ts';
import { isBusy, storageError } from '../sqlite-errors.ts';
import { Transactor, type TransactorContext } from '../transactor.ts';
import { markPruned, pruneRows } from './prune-run.ts';
import { dropUnused, unused } from './prune-unused.ts';

export type UpkeepOptions = {
  /** The store's own connection. */
  readonly transactor: Transactor;
  readonly path: string;
  readonly openDatabase: OpenDatabase;
  readonly context: TransactorContext;
};

const BUSY_PATIENCE_MS = 30_000;
const BUSY_PAUSE_MS = 100;
const NOTHING_GONE: Gone = { runIds: [], cacheBeforeMs: null };

/** Deletes in bulk, over a connection of its own that checks no foreign keys; opened when there is something to delete. */
export class Upkeep {
  readonly #options: UpkeepOptions;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  async pruneRun(runId: string): Promise<Pruned> {
    await this.#options.transactor.write((tx) => markPruned(tx, runId));
    return this.#inBulk((transactor) => pruneRows(transactor, runId));
  }

  async pruneUnused({ dryRun, ifGone = NOTHING_GONE }: { dryRun: boolean; ifGone?: Gone }): Promise<{ rows: number; sizeBytes: number }> {
    const found = await this.#options.transactor.read((view) => unused(view, dryRun ? ifGone : NOTHING_GONE));
    const { rows, sizeBytes } = found;
    if (dryRun) return { rows, sizeBytes };
    const begun = await this.#options.transactor.read(({ sql }) => sql.all<{ runId: string }>(BEGUN));
    if (rows + begun.length === 0) return { rows, sizeBytes };
    await this.#inBulk(async (transactor) => {
      for (const { runId } of begun) await pruneRows(transactor, runId);
      await dropUnused(transactor, found);
    });
    return { rows, sizeBytes };
  }

  /** False while somebody holds a lock. */
  async compact(): Promise<boolean> {
    const db = await this.#open();
    try {
      return compacted(db);
    } catch (error) {
      throw storageError(error, this.#options.path);
    } finally {
      db.close();
    }
  }

  async #inBulk<T>(work: (transactor: Transactor) => Promise<T>): Promise<T> {
    const { path, context } = this.#options;
    const transactor = new Transactor(await this.#open(), path, context);
    try {
      return await work(transactor);
    } finally {
      await transactor.close();
    }
  }

  /** Another process may hold a lock at this moment. */
  async #open(): Promise<Database> {
    const { path, openDatabase, context } = this.#options;
    const startedAtMs = performance.now();
    for (;;) {
      const db = openDatabase(path);
      try {
        configure(db, path, 'FULL');
        db.pragma('foreign_keys = OFF');
        return db;
      } catch (error) {
        db.close();
        if (!isBusy(error) || performance.now() - startedAtMs > BUSY_PATIENCE_MS) throw storageError(error, path);
        await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE_MS * (0.5 + context.random())));
      }
    }
  }
}

/** Runs whose pruning was begun and not ended. */
const BEGUN = `SELECT run_id AS runId FROM runs WHERE pruned_at_ms IS NOT NULL`;

/** Less is used again before long, and every page would have to be written anew for it. */
const WORTH_IT = 0.05;

function compacted(db: Database): boolean {
  const { pages, free } = db.prepare<[], { pages: number; free: number }>(PAGES).get() ?? { pages: 0, free: 0 };
  try {
    if (free > pages * WORTH_IT) db.exec('VACUUM');
    const row = db.prepare<[], { busy: 0 | 1 }>('PRAGMA wal_checkpoint(TRUNCATE)').get();
    return row?.busy === 0;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

const PAGES = `SELECT p.page_count AS pages, f.freelist_count AS free FROM pragma_page_count p, pragma_freelist_count f`;
