import { DatabaseError, type PoolClient, type QueryConfig } from 'pg';
import type { LeaseWatch } from '../lease-watch.ts';
import { IN_SILENCE, type ServerPatience } from '../server-news.ts';
import { CommitMarks, type Marked } from './commit-marks.ts';
import { connected } from './connect.ts';
import { type ConnectionPool, type PostgresPlace, quoted } from './connection.ts';
import { type Locks, lockStatement, SERVER_CLOCK } from './locks.ts';
import { isCancelled, isCollision, isDisconnection, isLocked, isPassing, LockedOut } from './postgres-errors.ts';
import { ServerWatch, StillAway } from './server-watch.ts';
import { SilenceWatch } from './silence-watch.ts';
import { Sql, Statements } from './sql.ts';
import { storageError } from './storage-error.ts';
import type { StoredStatement } from './stored-statement.ts';
import { tellIfSlow } from './tell-if-slow.ts';
import { ended, rolledBack } from './transaction-end.ts';
import { Turns } from './turns.ts';

/** What an operation works with. `nowMs` was read after its locks were held. */
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

/** What a transaction gets besides its connection. `clock`: `null` for the server's. */
export type TransactorContext = Omit<Tx, 'sql' | 'nowMs'> & {
  readonly clock: (() => number) | null;
  /** Rows are locked elsewhere, and are tried again. */
  readonly onLockRetry?: () => void;
  /** How long a server that is away is waited for; by default `IN_SILENCE`. */
  readonly patience?: ServerPatience;
};

/** With a server that answers. */
const PATIENCE_MS = 30_000;
/** Of somebody who was asked to leave now: at first, and once that was in vain, or all that is still to be done would wait for the same lock. */
const HURRIED_PATIENCE_MS = { first: 1000, later: 250 };
/** For one lock, before the transaction is begun anew. */
const LONGEST_LOCK_MS = 10_000;
const SHORTEST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1000;
/** Two claims that took the same flight: who lost looks again, and sees the other's. */
const MOST_COLLISIONS = 5;

// A session belongs to a transaction only: all that is set is set for it. A process that is frozen, or cut off, within a transaction keeps
// its locks no longer than others wait for them. Who turned the waiting for the disk off did not mean answers that are paid for.
const LIMITS = `
SET LOCAL statement_timeout = '60s'; SET LOCAL idle_in_transaction_session_timeout = '5s'; SET LOCAL jit = off`;
// A session keeps the plan by which it looks for referenced rows. Made while a table is small it would read all of it, for each row of a
// plan of thousands. What changes rows finds them by an index anyway.
// Who made the database read-only meant it: that is not said away.
const BEGIN_WRITE = 'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL enable_seqscan = off';
const WAIT_FOR_DISK = `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'`;
const DO_NOT_WAIT = 'SET LOCAL synchronous_commit = off';

const OWN_TABLES = `
SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = current_schema() AND c.relkind = 'r' ORDER BY c.relname`;
const LONGEST_VACUUM_MS = 3_600_000;

/**
 * Short transactions, one connection each. READ COMMITTED is said, whatever the server's default is, and what an operation reads and then
 * relies on is locked first (`Locks`). An operation may run more than once, so it changes nothing but the database. No transaction stays
 * open while something else is waited for.
 */
export class Transactor {
  readonly #pool: ConnectionPool;
  readonly #place: PostgresPlace;
  readonly #context: TransactorContext;
  readonly #turns = new Turns();
  readonly #server: ServerWatch;
  readonly #silence: SilenceWatch;
  readonly #marks: CommitMarks;
  #statements = new Statements([]);
  #patienceMs = PATIENCE_MS;
  #isHurried = false;
  #closed = false;

  constructor(pool: ConnectionPool, place: PostgresPlace, context: TransactorContext) {
    this.#pool = pool;
    this.#place = place;
    this.#context = context;
    this.#marks = new CommitMarks(context.newToken());
    this.#server = new ServerWatch(place.shown, context.patience ?? IN_SILENCE);
    this.#silence = new SilenceWatch(pool, place, this.#server);
  }

  /** Runs `work` in one transaction that holds the locks; resolves when it is durable. */
  write<T>(locks: Locks, work: (tx: Tx) => Promise<T> | T): Promise<T> {
    return this.writeKnowing(locks, () => Promise.resolve(undefined), work);
  }

  /** The same, with what is asked at once with the locks, and so after them. */
  writeKnowing<Known, T>(locks: Locks, ask: (sql: Sql) => Promise<Known>, work: (tx: Tx, known: Known) => Promise<T> | T): Promise<T> {
    return this.#again(() => this.#attempt(locks, ask, work), locks.line);
  }

  /** Runs `work` on one snapshot of what is committed. */
  read<T>(work: (view: View) => Promise<T>): Promise<T> {
    return this.#again(() => this.#snapshot(work));
  }

  /** Makes the space of what was deleted usable, table by table; nobody is kept out. No transaction can do it. */
  async vacuum(): Promise<void> {
    const tables = await this.read(({ sql }) => sql.all<{ name: string }>(OWN_TABLES));
    for (const { name } of tables) {
      const query: QueryConfig & { readonly query_timeout: number } = {
        text: `VACUUM (ANALYZE) ${name}`,
        query_timeout: LONGEST_VACUUM_MS,
      };
      await this.outside((client) => client.query(query));
    }
  }

  /** Runs `work` on a connection that is in no transaction; more than once, where the connection breaks. */
  outside<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#again(async () => {
      const value = await this.#withClient(work);
      this.#server.answered();
      return value;
    });
  }

  /** From now on these statements are asked of the functions that the schema has of them. */
  useStored(stored: readonly StoredStatement[]): void {
    this.#statements = new Statements(stored);
  }

  /** From now on a server that is away is waited for so long. */
  wait(patienceMs: number): void {
    this.#server.wait(patienceMs);
  }

  /**
   * Somebody wants to leave. `soon`: a server that is away or silent is not waited for for longer than 5 s. `now`: nor is it, or anybody
   * who holds a lock, for longer than a second or two.
   */
  hurry(how: 'soon' | 'now'): void {
    this.#server.hurry(how);
    this.#pool.hurry(how);
    this.#silence.hurry(how);
    if (how === 'soon') return;
    this.#isHurried = true;
    this.#patienceMs = Math.min(this.#patienceMs, HURRIED_PATIENCE_MS.first);
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const ended = this.#pool.end();
    if (this.#server.abandonments > 0) this.#pool.cutAll();
    await ended;
    this.#server.close();
  }

  /**
   * `line`: whom it waits for in this process. It is at its head before the server is asked on behalf of all: an operation that has the line
   * may need the server's answer before it lets go of it.
   */
  async #again<T>(attempt: () => Promise<T>, line: string | null = null): Promise<T> {
    if (this.#closed) throw new Error('The store is closed.');
    const startedAtMs = this.#server.presentMs();
    for (let tries = 0, collisions = 0; ; tries += 1) {
      try {
        return await this.#turns.take(line, async () => {
          if (tries === 0 && this.#isHurried && !this.#isInTime(startedAtMs)) throw new LockedOut('those before it in line took too long');
          await this.#server.turn();
          return await this.#server.whileWaitedFor(attempt());
        });
      } catch (caught) {
        if (!(caught instanceof StillAway)) this.#note(caught);
        const error = caught instanceof StillAway ? caught.cause : caught;
        if (isCollision(error) && collisions < MOST_COLLISIONS) collisions += 1;
        else if (isPassing(error) && this.#isPatient(startedAtMs)) await this.#pause(tries, isLocked(error));
        else {
          if (this.#isHurried && isLocked(error)) this.#patienceMs = HURRIED_PATIENCE_MS.later;
          throw storageError(error, this.#place.shown);
        }
      }
    }
  }

  #isPatient(startedAtMs: number): boolean {
    return this.#server.isWaitedFor() && this.#isInTime(startedAtMs);
  }

  #isInTime(startedAtMs: number): boolean {
    return this.#server.presentMs() - startedAtMs <= this.#patienceMs;
  }

  /** What an attempt failed of says whether there is a server; while there is none, nobody can renew a lease. */
  #note(error: unknown): void {
    if (isDisconnection(error)) {
      this.#server.failed(error);
      this.#context.watch.missed();
    } else if (error instanceof DatabaseError) this.#server.answered();
    else this.#server.asked();
  }

  /** The server takes the first statement of a transaction, before that waits for anything. */
  async #begun(begin: Promise<unknown>): Promise<void> {
    await begin;
    this.#server.begun();
  }

  async #attempt<Known, T>(locks: Locks, ask: (sql: Sql) => Promise<Known>, work: (tx: Tx, known: Known) => Promise<T> | T): Promise<T> {
    const slot = this.#marks.take();
    try {
      const value = await this.#attemptIn(slot, locks, ask, work);
      this.#marks.giveBack(slot);
      return value;
    } catch (error) {
      // What broke off may still be under way there: nobody shall wait for it.
      if (!isDisconnection(error)) this.#marks.giveBack(slot);
      throw error;
    }
  }

  async #attemptIn<Known, T>(
    slot: number,
    locks: Locks,
    ask: (sql: Sql) => Promise<Known>,
    work: (tx: Tx, known: Known) => Promise<T> | T,
  ): Promise<T> {
    const done = await this.#withClient(async (client) => {
      const sql = new Sql(client, this.#statements);
      try {
        const [{ nowMs, xactId }, known] = await Promise.all([this.#begin(client, sql, { locks, slot }), ask(sql)]);
        this.#server.answered();
        const value = await work({ ...this.#context, sql, nowMs }, known);
        return { value, xactId, lost: await ended(client, sql) };
      } catch (error) {
        throw sql.failed(error);
      }
    });
    // Whether the server has it must be known: a settle that is done twice looks like one that came too late.
    if (done.lost !== null && !(await this.#isCommitted({ slot, xactId: done.xactId }))) throw done.lost;
    return done.value;
  }

  async #begin(client: PoolClient, sql: Sql, { locks, slot }: { locks: Locks; slot: number }): Promise<{ nowMs: number; xactId: string }> {
    const { clock } = this.#context;
    const params = { ...locks.params, lockedLanes: locks.laneIds, lockedMaximum: locks.admits };
    const begun = this.#begun(client.query(`${BEGIN_WRITE}; ${this.#settings()}; ${locks.losable ? DO_NOT_WAIT : WAIT_FOR_DISK}`));
    const told = sql.one<{ nowMs: number; xactId: string }>(lockStatement(locks), params);
    this.#marks.leave(sql, slot);
    const [, row] = await Promise.all([begun, told]);
    if (row === undefined) throw new Error('The server told no time');
    return clock === null ? row : { ...row, nowMs: clock() };
  }

  async #snapshot<T>(work: (view: View) => Promise<T>): Promise<T> {
    return this.#withClient(async (client) => {
      const sql = new Sql(client, this.#statements);
      const begun = this.#begun(client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${this.#settings()}`));
      const [nowMs] = await Promise.all([this.#now(sql), begun]);
      const value = await work({ sql, nowMs });
      await client.query('COMMIT');
      return value;
    });
  }

  async #now(sql: Sql): Promise<number> {
    const { clock } = this.#context;
    return clock === null ? ((await sql.one<{ nowMs: number }>(`SELECT ${SERVER_CLOCK} AS now_ms`))?.nowMs ?? 0) : clock();
  }

  /** A connection that fails, or that a transaction was left open on, is not used again. */
  async #withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const { abandonments } = this.#server;
    const client = await this.#connected();
    if (abandonments !== this.#server.abandonments) {
      client.release();
      throw new Error('Nobody waits for this any more');
    }
    const heard = this.#silence.watch(client);
    let broken: Error | undefined;
    try {
      return await work(client);
    } catch (error) {
      broken = await rolledBack(client, error);
      throw isCancelled(error) && this.#silence.hasCancelled(client) ? new LockedOut('no longer waited for', { cause: error }) : error;
    } finally {
      heard();
      client.release(broken);
    }
  }

  /** Where the pool has connections left, it is the server that one is waited for from. */
  #connected(): Promise<PoolClient> {
    const sinceMs = performance.now();
    return tellIfSlow(connected(this.#pool, this.#place.shown), () => {
      if (!this.#pool.isFull()) this.#server.silent(sinceMs);
    });
  }

  /** Asked of the server until it answers: the connection broke while it was committing. */
  #isCommitted(marked: Marked): Promise<boolean> {
    return this.outside(async (client) => {
      const committed = await this.#marks.isCommitted(client, this.#place.schema, marked);
      if (committed === null) throw Object.assign(new Error('the server is still committing'), { code: 'ETIMEDOUT' });
      return committed;
    });
  }

  #settings(): string {
    const lockMs = Math.min(LONGEST_LOCK_MS, this.#patienceMs);
    return `SET LOCAL search_path TO ${quoted(this.#place.schema)}; SET LOCAL lock_timeout = ${lockMs}; ${LIMITS}`;
  }

  #pause(tries: number, locked: boolean): Promise<void> {
    if (locked) this.#context.onLockRetry?.();
    const longest = Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** Math.min(tries, 10));
    return new Promise((resolve) => setTimeout(resolve, longest * (0.5 + this.#context.random() / 2)));
  }
}
