import BetterSqlite3, { type Database } from 'better-sqlite3';
import { watchedDatabase } from './watched-database.mjs';

/** What a statement does instead of its work. */
export type Fault = {
  readonly code: string;
  /**
   * - `nothing`: the statement is not executed
   * - `rolled back`: nor is what came before it in its transaction, as SQLite does when the disk is full or broken
   * - `executed`: it did its work, and the error came after
   */
  readonly after: 'nothing' | 'rolled back' | 'executed';
};

/** A database that fails where it is told to. Statements are counted from 0, from the moment that it is watched. */
export class FaultyDatabase {
  readonly statements: string[] = [];
  #db: Database | null = null;
  #watched = false;
  #choose: (text: string, index: number) => Fault | null = () => null;
  #onExecuted: (text: string) => void = () => undefined;

  readonly open = (path: string): Database => {
    this.#db = new BetterSqlite3(path, { timeout: 0 });
    return watchedDatabase(this.#db, (text, execute) => (this.#watched ? this.#execute(text, execute) : execute()));
  };

  /** The connection itself, which never fails. */
  get raw(): Database {
    if (this.#db === null) throw new Error('The database is not open');
    return this.#db;
  }

  /** Counts anew, and fails where `choose` says so. */
  watch(choose: (text: string, index: number) => Fault | null, onExecuted: (text: string) => void = () => undefined): void {
    this.statements.length = 0;
    this.#choose = choose;
    this.#onExecuted = onExecuted;
    this.#watched = true;
  }

  /** Works as any other database from now on. */
  heal(): void {
    this.#watched = false;
  }

  #execute(text: string, execute: () => unknown): unknown {
    const fault = this.#choose(text, this.statements.length);
    this.statements.push(text);
    if (fault?.after === 'rolled back' && this.raw.inTransaction) this.raw.exec('ROLLBACK');
    const value = fault === null || fault.after === 'executed' ? execute() : undefined;
    if (fault !== null) throw new BetterSqlite3.SqliteError('injected', fault.code);
    this.#onExecuted(text);
    return value;
  }
}
