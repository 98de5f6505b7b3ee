import { existsSync, realpathSync } from 'node:fs';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { UserError } from '../../../domain/errors.ts';
import type { CopiedRow, CopiedValue, RowKey } from '../../copy/copied-row.ts';
import type { ColumnKind, CopiedTable } from '../../copy/copied-tables.ts';
import { wrongVersion } from '../../copy/refusals.ts';
import { type CopyReader, ROWS_PER_PAGE, rowsThatFit, type SideOptions } from '../../copy/side.ts';
import { Liveness } from '../../machine/liveness.ts';
import { leftSpools } from '../../spool/spool-intake.ts';
import { readSpool, type SpoolContent } from '../../spool/spool-read.ts';
import { refuseOldSqlite } from '../connection.ts';
import { refuseUnsafeFileSystem } from '../file-system-here.ts';
import { refuseForeign, SCHEMA_VERSION } from '../schema/migrations.ts';
import { spoolPlaces } from '../spool-places.ts';
import { Sql } from '../sql.ts';
import { storageError } from '../sqlite-errors.ts';
import { seeWorkers } from '../workers/seen-workers.ts';
import { fromOf, selected } from './shapes.ts';

/**
 * Opens a database at one snapshot, by a connection that cannot write it. Throws `UserError`: there is none (E30), it is of another
 * version (E46) or another program's, or on a file system that is not safe for it (E22).
 */
export async function openSqliteReader(path: string, options: SideOptions): Promise<CopyReader> {
  if (!existsSync(path))
    throw new UserError({
      code: 'E30',
      exitCode: 2,
      message: `${path} does not exist`,
      next: ['check the path: a store is .aieval/aieval.db in the folder of its manifest, where nothing else was said'],
    });
  const { trustUncertain, onTrusted } = options;
  refuseUnsafeFileSystem(path, { trustUncertain, onTrusted });
  try {
    return await snapshotOf(path, options);
  } catch (error) {
    throw storageError(error, path);
  }
}

async function snapshotOf(path: string, options: SideOptions): Promise<CopyReader> {
  const db = new BetterSqlite3(path, { readonly: true, timeout: 5000 });
  try {
    refuseOldSqlite(db);
    refuseForeign(db, path, 0);
    const version: unknown = db.pragma('user_version', { simple: true });
    if (version !== SCHEMA_VERSION) throw wrongVersion(path, Number(version), SCHEMA_VERSION);
    db.exec('BEGIN');
    return new SqliteReader(db, path, options);
  } catch (error) {
    db.close();
    throw error;
  }
}

class SqliteReader implements CopyReader {
  readonly shown: string;
  readonly place: string;
  readonly storeId: string;
  readonly #db: Database;
  readonly #options: SideOptions;

  constructor(db: Database, path: string, options: SideOptions) {
    this.#db = db;
    this.#options = options;
    this.shown = path;
    this.place = realpathSync(path);
    const row = db.prepare<[], { storeId: string }>('SELECT store_id AS storeId FROM store').get();
    if (row === undefined) throw new Error('The store has no id');
    this.storeId = row.storeId;
  }

  async page(table: CopiedTable, after: RowKey | null): Promise<readonly CopiedRow[]> {
    const columns = selected(table).join(', ');
    const rest = `FROM ${fromOf(table)} ${afterKey(table, after)} ORDER BY ${keyColumns(table)}`;
    const limit = table.wide === true ? this.#fitting(table, rest, after) : ROWS_PER_PAGE;
    const rows = this.#db.prepare<unknown[], unknown[]>(`SELECT ${columns} ${rest} LIMIT ${limit}`).raw().safeIntegers();
    const kinds = Object.values(table.columns);
    return rows.all(...(after ?? [])).map((row) => row.map((value, at) => copied(kinds[at], value)));
  }

  async count({ name }: CopiedTable): Promise<number> {
    return this.#db.prepare<[], { rows: number }>(`SELECT count(*) AS rows FROM ${name}`).get()?.rows ?? 0;
  }

  async livingWorkers(): Promise<readonly string[]> {
    const { hostId, clock } = this.#options;
    const seen = seeWorkers(new Sql(this.#db), { liveness: new Liveness(this.place), hostId, nowMs: clock() });
    return seen.filter(({ alive }) => alive).map(({ hostname, pid }) => `${hostname} ${pid}`);
  }

  async unsettled(): Promise<{ readonly what: string; readonly next: string } | null> {
    const pruned =
      this.#db.prepare<[], { runs: number }>('SELECT count(*) AS runs FROM runs WHERE pruned_at_ms IS NOT NULL').get()?.runs ?? 0;
    if (pruned > 0) return { what: 'a run that is being removed', next: 'aieval gc' };
    const places = spoolPlaces({ storeId: this.storeId, database: this.place }, this.#options);
    const liveness = new Liveness(this.place);
    const left = await leftSpools({ isAlive: (workerId) => liveness.isAlive(workerId), places });
    // A process that was killed leaves one in any case, mostly with nothing in it.
    const holdsAnswers = left.some(({ path, userId: owner }) => isHolding(readSpool(path, owner)));
    return holdsAnswers ? { what: 'paid answers beside it that are not in it yet', next: 'aieval status' } : null;
  }

  async unfinishedCopy(): Promise<{ readonly sourceId: string; readonly source: string } | null> {
    return (
      this.#db.prepare<[], { sourceId: string; source: string }>('SELECT source_id AS sourceId, source FROM unfinished_copy').get() ?? null
    );
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  #fitting(table: CopiedTable, rest: string, after: RowKey | null): number {
    const size = longColumns(table)
      .map((column) => `coalesce(octet_length(${column}), 0)`)
      .join(' + ');
    const sizes = this.#db.prepare<unknown[], number>(`SELECT ${size} ${rest} LIMIT ${ROWS_PER_PAGE}`).pluck();
    return Math.max(1, rowsThatFit(sizes.all(...(after ?? []))));
  }
}

function isHolding({ records, unreadable }: SpoolContent): boolean {
  return records.length + unreadable > 0;
}

function keyColumns({ name, key }: CopiedTable): string {
  return key.map((column) => `${name}.${column}`).join(', ');
}

function afterKey(table: CopiedTable, after: RowKey | null): string {
  return after === null ? '' : `WHERE (${keyColumns(table)}) > (${table.key.map(() => '?').join(', ')})`;
}

function longColumns(table: CopiedTable): readonly string[] {
  const kinds = Object.values(table.columns);
  return selected(table).filter((_, at) => kinds[at] === 'json' || kinds[at] === 'value' || kinds[at] === 'bytes');
}

/** A column's value as every kind of store has it. STRICT types stand behind it. */
function copied(kind: ColumnKind | undefined, value: unknown): CopiedValue {
  if (kind === 'boolean' && value !== null) return value === 1n;
  if (kind === 'number' && typeof value === 'bigint') return Number(value);
  if (value === null || typeof value === 'string' || typeof value === 'bigint' || typeof value === 'number') return value;
  if (value instanceof Uint8Array) return value;
  throw new Error(`Expected a value of a column, got ${typeof value}`);
}
