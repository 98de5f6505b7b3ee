import type { Database } from 'better-sqlite3';
import type { Compaction, Gone, Pruned } from '../../maintenance.ts';
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
  /** Replaced by tests. */
  readonly longestVacuumBytes?: number;
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
    const { transactor } = this.#options;
    if (!dryRun) await this.#endBegun();
    const found = await transactor.read((view) => unused(view, dryRun ? ifGone : NOTHING_GONE));
    const { rows, sizeBytes } = found;
    if (!dryRun && rows > 0) await this.#inBulk((bulk) => dropUnused(bulk, found));
    return { rows, sizeBytes };
  }

  /** First of all: of a run that is being pruned somebody may still be about to take an answer, until its rows say that it may not. */
  async #endBegun(): Promise<void> {
    const begun = await this.#options.transactor.read(({ sql }) => sql.all<{ runId: string }>(BEGUN));
    if (begun.length === 0) return;
    await this.#inBulk(async (bulk) => {
      for (const { runId } of begun) await pruneRows(bulk, runId);
    });
  }

  /** `busy` while somebody holds a lock. */
  async compact(): Promise<Compaction> {
    const db = await this.#open();
    try {
      return compacted(db, this.#options.longestVacuumBytes ?? LONGEST_VACUUM_BYTES);
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

/**
 * What is not free is written anew, twice, in one transaction, while whoever starts to work waits: 256 MiB take about two seconds on a
 * local SSD, and nobody waits longer than 30 for a lock.
 */
const LONGEST_VACUUM_BYTES = 256 * 1024 * 1024;

type Pages = { readonly pages: number; readonly free: number; readonly sizeBytes: number };

const SELECT_PAGES = `
SELECT p.page_count AS pages, f.freelist_count AS free, s.page_size AS sizeBytes
FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s`;

function compacted(db: Database, longestVacuumBytes: number): Compaction {
  const { pages, free, sizeBytes } = db.prepare<[], Pages>(SELECT_PAGES).get() ?? { pages: 0, free: 0, sizeBytes: 0 };
  const isWorthIt = free > pages * WORTH_IT;
  const isLong = (pages - free) * sizeBytes > longestVacuumBytes;
  try {
    const vacuumed = isWorthIt && !isLong && vacuum(db);
    const row = db.prepare<[], { busy: 0 | 1 }>('PRAGMA wal_checkpoint(TRUNCATE)').get();
    if (row?.busy !== 0) return 'busy';
    return isWorthIt && !vacuumed ? 'kept' : 'done';
  } catch (error) {
    if (isBusy(error)) return 'busy';
    throw error;
  }
}

/** False: the disk has no room for the second copy that it takes. A full disk is why a person cleans up, and nothing is lost by it. */
function vacuum(db: Database): boolean {
  try {
    db.exec('VACUUM');
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_FULL') return false;
    throw error;
  }
}
