import type { Database } from 'better-sqlite3';
import type { CopiedRow, CopiedValue, RowKey } from '../../copy/copied-row.ts';
import { cellOf, keyOf } from '../../copy/copied-row.ts';
import type { ColumnKind, CopiedTable } from '../../copy/copied-tables.ts';
import { copyDiffers } from '../../copy/refusals.ts';
import type { CopyWriter, SideOptions } from '../../copy/side.ts';
import { configure, openFile } from '../connection.ts';
import { refuseUnsafeFileSystem } from '../file-system-here.ts';
import { refuseMissingFolder } from '../open.ts';
import { migrate } from '../schema/migrations.ts';
import { isBrokenRule, storageError } from '../sqlite-errors.ts';
import { insertedColumn } from './shapes.ts';

/** Whoever looks at the new database holds its lock for a moment only. */
const BUSY_MS = 10_000;

/** Opens or creates the database and brings it to this version. Throws `UserError` (exit 8) as opening a store does. */
export function openSqliteWriter(path: string, { trustUncertain, onTrusted }: SideOptions): CopyWriter {
  refuseMissingFolder(path);
  refuseUnsafeFileSystem(path, { trustUncertain, onTrusted });
  try {
    const db = openFile(path);
    try {
      db.pragma(`busy_timeout = ${BUSY_MS}`);
      configure(db, path, 'FULL');
      migrate(db, path);
      return new SqliteWriter(db, path);
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw storageError(error, path);
  }
}

class SqliteWriter implements CopyWriter {
  readonly #db: Database;
  readonly #path: string;

  constructor(db: Database, path: string) {
    this.#db = db;
    this.#path = path;
  }

  async begin({ sourceId, source }: { readonly sourceId: string; readonly source: string }): Promise<void> {
    this.#change(() => {
      this.#db.exec('DELETE FROM unfinished_copy');
      this.#db.prepare('INSERT INTO unfinished_copy (source_id, source) VALUES (?, ?)').run(sourceId, source);
    });
  }

  async lastKey(table: CopiedTable): Promise<RowKey | null> {
    const { name, key } = table;
    const order = key.map((column) => `${column} DESC`).join(', ');
    const row = this.#db.prepare<[], (string | bigint)[]>(`SELECT ${key.join(', ')} FROM ${name} ORDER BY ${order} LIMIT 1`);
    return row.raw().safeIntegers().get() ?? null;
  }

  async write(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
    const triggers = this.#db
      .prepare<[string], { name: string; sql: string }>(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?`)
      .all(table.name);
    this.#change(() => {
      for (const { name } of triggers) this.#db.exec(`DROP TRIGGER ${name}`);
      this.#insert(table, rows);
      for (const { sql } of triggers) this.#db.exec(sql);
    });
  }

  /** Numbers that are given next follow from the rows. */
  async settle(): Promise<void> {}

  async finish(): Promise<void> {
    this.#change(() => this.#db.exec('DELETE FROM unfinished_copy'));
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  #insert(table: CopiedTable, rows: readonly CopiedRow[]): void {
    const kinds = Object.entries(table.columns).filter(([column]) => !isApart(table, column));
    const columns = kinds.map(([column]) => insertedColumn(table, column));
    const values = kinds.map(([, kind]) => (kind === 'bytes' ? 'CAST(? AS TEXT)' : '?'));
    const statement = this.#db.prepare(`INSERT INTO ${table.name} (${columns.join(', ')}) VALUES (${values.join(', ')})`);
    for (const row of rows) statement.run(kinds.map(([column, kind]) => bound(kind, cellOf(table, row, column))));
    if (table.name === 'steps') this.#insertInputs(table, rows);
  }

  #insertInputs(table: CopiedTable, rows: readonly CopiedRow[]): void {
    const statement = this.#db.prepare('INSERT INTO step_inputs (step_id, input) VALUES (?, ?)');
    for (const row of rows) {
      const input = cellOf(table, row, 'input');
      if (input !== null) statement.run(...keyOf(table, row), input);
    }
  }

  #change(work: () => void): void {
    try {
      this.#db.transaction(work).immediate();
    } catch (error) {
      if (isBrokenRule(error)) throw copyDiffers(`a row cannot be stored in ${this.#path} (${error.message}).`, ['aieval doctor'], error);
      throw storageError(error, this.#path);
    }
  }
}

/** What a step asks stands in a table of its own. */
function isApart({ name }: CopiedTable, column: string): boolean {
  return name === 'steps' && column === 'input';
}

function bound(kind: ColumnKind, value: CopiedValue): string | bigint | number | Uint8Array | null {
  if (typeof value === 'boolean') return Number(value);
  // A path of another kind of store says nothing here.
  if (kind === 'origin') return typeof value === 'string' && value.startsWith('/') ? value : null;
  return value;
}
