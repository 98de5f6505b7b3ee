import type { Database } from 'better-sqlite3';
import type { LeaseWatch } from '../lease-watch.ts';
import { Sql } from './sql.ts';
import { isBusy, storageError } from './sqlite-errors.ts';

/** What an operation works with. `nowMs` was read after the write lock was held. */
export type Tx = {
  readonly sql: Sql;
  readonly nowMs: number;
  readonly random: () => number;
  readonly newToken: () => string;
  /** What this process has seen of the leases. */
  readonly watch: LeaseWatch;
};

/** What a reader works with: one snapshot. */
export type View = Pick<Tx, 'sql' | 'nowMs'>;

type Operation = {
  readonly alone: boolean;
  /** Does the work; the returned function tells the caller, after the commit. */
  readonly attempt: (tx: Tx) => () => void;
  readonly fail: (error: unknown) => void;
};

/** What a transaction gets besides its connection. */
export type TransactorContext = Omit<Tx, 'sql' | 'nowMs'> & {
  readonly clock: () => number;
  /** The lock is held elsewhere, and is tried again. */
  readonly onLockRetry?: () => void;
};

const MAX_BATCH = 64;
/** The lock is not handed over, it is found free: whoever looks seldom finds it seldom. */
const BUSY_PAUSE_MS = 2;
const LONGEST_BUSY_PAUSE_MS = 50;
const BUSY_PATIENCE_MS = 30_000;
/** Of somebody who was asked to leave. */
const HURRIED_PATIENCE_MS = 1000;
/** Who was not refused for so long is refused anew. */
const NEW_REFUSAL_MS = 1000;

/**
 * The lock stays free for so long after a commit while others write too. Without it a busy process takes the lock again before
 * anyone can look: of 4 processes one did 856 of 1,600 steps while another waited 11 s; with it 388 to 412 each, and 0.8 s.
 */
const TURN_MS = 5;
/** Who was not heard of for so long does not wait. */
const CONTENDED_FOR_MS = 1000;

/** Changes when another connection commits, and never by a commit of this one. */
const DATA_VERSION = 'SELECT data_version AS version FROM pragma_data_version';

/**
 * Group commit. Operations queued within one turn of the event loop share one `BEGIN IMMEDIATE` transaction, each in a savepoint,
 * so that a failing one takes back only itself; promises settle after COMMIT. The connection has no busy handler: a lock held
 * elsewhere puts the whole batch off, asynchronously, because a frozen loop would kill healthy streams. Operations may run more
 * than once, so they change nothing but the database.
 */
export class Transactor {
  readonly #db: Database;
  readonly #path: string;
  readonly #sql: Sql;
  readonly #context: TransactorContext;
  #queue: Operation[] = [];
  #scheduled = false;
  #busyTries = 0;
  /** When the lock was first found taken, and when last, in the time in which it was never had. */
  #busy: { readonly sinceMs: number; readonly lastMs: number } | null = null;
  #patienceMs = BUSY_PATIENCE_MS;
  #committedAtMs = Number.NEGATIVE_INFINITY;
  #contendedAtMs = Number.NEGATIVE_INFINITY;
  #dataVersion = 0;
  #closed = false;

  constructor(db: Database, path: string, context: TransactorContext) {
    this.#db = db;
    this.#path = path;
    this.#sql = new Sql(db);
    this.#context = context;
  }

  /** Runs `work` in the next shared transaction. */
  write<T>(work: (tx: Tx) => T): Promise<T> {
    return this.#enqueue(work, false);
  }

  /** Runs `work` in a transaction of its own, after what was queued before it. */
  writeAlone<T>(work: (tx: Tx) => T): Promise<T> {
    return this.#enqueue(work, true);
  }

  /** Runs `work` at once on one snapshot of what is committed. */
  async read<T>(work: (view: View) => T): Promise<T> {
    const startedAtMs = performance.now();
    for (let tries = 0; ; tries += 1) {
      try {
        return this.#snapshot(work);
      } catch (error) {
        if (!isBusy(error) || performance.now() - startedAtMs > this.#patienceMs) throw storageError(error, this.#path);
        this.#context.onLockRetry?.();
        await new Promise((resolve) => setTimeout(resolve, this.#pauseMs(tries)));
      }
    }
  }

  /** Somebody wants to leave: from now on nothing waits for the lock for longer than a second. */
  hurry(): void {
    this.#patienceMs = HURRIED_PATIENCE_MS;
  }

  /** Waits for what is queued, then closes the connection. */
  async close(): Promise<void> {
    if (this.#closed) return;
    // An empty write comes after all others. Whoever waits there hears of an error; a broken database must still be left.
    if (this.#queue.length > 0) await this.write(() => undefined).catch(() => undefined);
    this.#closed = true;
    this.#db.close();
  }

  #enqueue<T>(work: (tx: Tx) => T, alone: boolean): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new Error('The store is closed.');
      const attempt = (tx: Tx): (() => void) => {
        const value = work(tx);
        return () => resolve(value);
      };
      this.#queue.push({ alone, attempt, fail: reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#queue.length === 0) return;
    this.#scheduled = true;
    const pauseMs = this.#busyTries === 0 ? this.#turnMs() : this.#pauseMs(this.#busyTries - 1);
    if (pauseMs <= 0) setImmediate(() => this.#flush());
    else setTimeout(() => this.#flush(), pauseMs);
  }

  /** What is left of the others' turn. */
  #turnMs(): number {
    const nowMs = performance.now();
    return nowMs - this.#contendedAtMs > CONTENDED_FOR_MS ? 0 : this.#committedAtMs + TURN_MS - nowMs;
  }

  #flush(): void {
    this.#scheduled = false;
    const batch = this.#takeBatch();
    try {
      const deliveries = this.#commit(batch);
      this.#busyTries = 0;
      this.#busy = null;
      for (const deliver of deliveries) deliver();
    } catch (error) {
      this.#putOffOrFail(batch, error);
    }
    this.#schedule();
  }

  #takeBatch(): Operation[] {
    const firstAlone = this.#queue.findIndex((operation) => operation.alone);
    const length = firstAlone === -1 ? MAX_BATCH : Math.min(MAX_BATCH, Math.max(1, firstAlone));
    return this.#queue.splice(0, length);
  }

  #putOffOrFail(batch: Operation[], error: unknown): void {
    if (isBusy(error) && this.#refusedForMs() < this.#patienceMs) {
      this.#busyTries += 1;
      this.#context.onLockRetry?.();
      this.#queue = [...batch, ...this.#queue];
      return;
    }
    this.#busyTries = 0;
    for (const operation of batch) operation.fail(storageError(error, this.#path));
  }

  /** Over all operations: who comes when the lock has long been taken does not wait for it all over again. */
  #refusedForMs(): number {
    const nowMs = performance.now();
    const isSame = this.#busy !== null && nowMs - this.#busy.lastMs < NEW_REFUSAL_MS;
    this.#busy = { sinceMs: isSame && this.#busy !== null ? this.#busy.sinceMs : nowMs, lastMs: nowMs };
    return nowMs - this.#busy.sinceMs;
  }

  #commit(batch: readonly Operation[]): (() => void)[] {
    this.#sql.run('BEGIN IMMEDIATE');
    try {
      const { clock, onLockRetry: _, ...context } = this.#context;
      const tx: Tx = { sql: this.#sql, nowMs: clock(), ...context };
      const deliveries = batch.map((operation) => this.#attempt(operation, tx));
      const dataVersion = this.#sql.one<{ version: number }>(DATA_VERSION)?.version ?? 0;
      this.#sql.run('COMMIT');
      this.#noteCommit(dataVersion);
      return deliveries;
    } catch (error) {
      // A full disk has already rolled back; a second ROLLBACK would hide that error behind its own.
      if (this.#db.inTransaction) this.#sql.run('ROLLBACK');
      throw error;
    }
  }

  #noteCommit(dataVersion: number): void {
    this.#committedAtMs = performance.now();
    if (this.#busyTries > 0 || dataVersion !== this.#dataVersion) this.#contendedAtMs = this.#committedAtMs;
    this.#dataVersion = dataVersion;
  }

  #attempt(operation: Operation, tx: Tx): () => void {
    this.#sql.run('SAVEPOINT operation');
    try {
      const deliver = operation.attempt(tx);
      this.#sql.run('RELEASE operation');
      return deliver;
    } catch (error) {
      if (isBusy(error) || !this.#db.inTransaction) throw error;
      this.#sql.run('ROLLBACK TO operation');
      this.#sql.run('RELEASE operation');
      return () => operation.fail(storageError(error, this.#path));
    }
  }

  #snapshot<T>(work: (view: View) => T): T {
    this.#sql.run('BEGIN');
    try {
      const value = work({ sql: this.#sql, nowMs: this.#context.clock() });
      this.#sql.run('COMMIT');
      return value;
    } finally {
      // Also after a COMMIT that failed: what stays open would refuse every later transaction.
      if (this.#db.inTransaction) this.#sql.run('ROLLBACK');
    }
  }

  #pauseMs(tries: number): number {
    const longest = Math.min(LONGEST_BUSY_PAUSE_MS, BUSY_PAUSE_MS * 2 ** tries);
    return longest * (0.5 + this.#context.random() / 2);
  }
}
