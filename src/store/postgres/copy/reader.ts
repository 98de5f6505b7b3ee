import type { Client } from 'pg';
import { UserError } from '../../../domain/errors.ts';
import type { CopiedRow, CopiedValue, RowKey } from '../../copy/copied-row.ts';
import type { ColumnKind, CopiedTable } from '../../copy/copied-tables.ts';
import { wrongVersion } from '../../copy/refusals.ts';
import { type CopyReader, ROWS_PER_PAGE, rowsThatFit, type SideOptions } from '../../copy/side.ts';
import { openClient } from '../connect.ts';
import { type PostgresPlace, postgresPlace, quoted } from '../connection.ts';
import { SERVER_CLOCK } from '../locks.ts';
import { SCHEMA_VERSION } from '../schema/migrations.ts';
import { SpoolLocks } from '../spool/spool-locks.ts';
import { Sql } from '../sql.ts';
import { storageError } from '../storage-error.ts';
import { THIS_DATABASE } from '../this-database.ts';
import { seeWorkers } from '../workers/seen-workers.ts';
import { fromOf, selected, typeOf } from './shapes.ts';

/**
 * Opens a schema at one snapshot, in a transaction that writes nothing and stays open until it is closed. Throws `UserError`: there is no
 * store (E30), it is of another version (E46), or it cannot be reached (E22).
 */
export async function openPostgresReader(location: string, options: SideOptions): Promise<CopyReader> {
  const place = postgresPlace(location);
  const client = await openClient(place, { query_timeout: 0 }, options.onServer);
  try {
    await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL search_path TO ${quoted(place.schema)};
      SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`);
    return await snapshotOf(client, place, options);
  } catch (error) {
    await client.end();
    throw storageError(error, place.shown);
  }
}

async function snapshotOf(client: Client, place: PostgresPlace, options: SideOptions): Promise<CopyReader> {
  const { shown } = place;
  const ours = await client.query<{ ours: boolean }>(`SELECT to_regclass('aieval_migrations') IS NOT NULL AS ours`);
  if (ours.rows[0]?.ours !== true) {
    throw new UserError({
      code: 'E30',
      exitCode: 2,
      message: `${shown} holds no store`,
      next: ['check the database, and the schema, in the URL'],
    });
  }
  const version =
    (await client.query<{ version: number | null }>('SELECT max(version) AS version FROM aieval_migrations')).rows[0]?.version ?? 0;
  if (version !== SCHEMA_VERSION) throw wrongVersion(shown, version, SCHEMA_VERSION);
  const about = await client.query<{ id: string; place: string }>(`SELECT store_id AS id, ${THIS_DATABASE} AS place FROM store`);
  const [row] = about.rows;
  if (row === undefined) throw new Error('The store has no id');
  return new PostgresReader(client, { shown, storeId: row.id, place: row.place }, options);
}

class PostgresReader implements CopyReader {
  readonly shown: string;
  readonly storeId: string;
  readonly place: string;
  readonly #client: Client;
  readonly #sql: Sql;
  readonly #options: SideOptions;

  constructor(client: Client, about: Pick<CopyReader, 'shown' | 'storeId' | 'place'>, options: SideOptions) {
    this.#options = options;
    this.#client = client;
    this.#sql = new Sql(client);
    this.shown = about.shown;
    this.storeId = about.storeId;
    this.place = about.place;
  }

  async page(table: CopiedTable, after: RowKey | null): Promise<readonly CopiedRow[]> {
    const rest = `FROM ${fromOf(table)} ${afterKey(table, after)} ORDER BY ${keyColumns(table)}`;
    const limit = table.wide === true ? await this.#fitting(table, rest, after) : ROWS_PER_PAGE;
    const kinds = Object.values(table.columns);
    const rows = await this.#rows(`SELECT ${selected(table).join(', ')} ${rest} LIMIT ${limit}`, after);
    return rows.map((row) => row.map((value, at) => copied(kinds[at], value)));
  }

  async count({ name }: CopiedTable): Promise<number> {
    return (await this.#one<{ rows: number }>(`SELECT count(*) AS rows FROM ${name}`))?.rows ?? 0;
  }

  async livingWorkers(): Promise<readonly string[]> {
    const nowMs = (await this.#one<{ nowMs: number }>(`SELECT ${SERVER_CLOCK} AS now_ms`))?.nowMs ?? 0;
    const { hostId, spoolFolders: folders, userId } = this.#options;
    const locks = new SpoolLocks({ storeId: this.storeId, folders, userId });
    const seen = await this.#told(seeWorkers({ sql: this.#sql, nowMs }, { locks, hostId }));
    return seen.filter(({ alive }) => alive).map(({ hostname, pid }) => `${hostname} ${pid}`);
  }

  async unsettled(): Promise<{ readonly what: string; readonly next: string } | null> {
    const pruned = await this.#one<{ runs: number }>('SELECT count(*) AS runs FROM runs WHERE pruned_at_ms IS NOT NULL');
    return (pruned?.runs ?? 0) > 0 ? { what: 'a run that is being removed', next: 'aieval gc' } : null;
  }

  async unfinishedCopy(): Promise<{ readonly sourceId: string; readonly source: string } | null> {
    return (await this.#one<{ sourceId: string; source: string }>('SELECT source_id, source FROM unfinished_copy')) ?? null;
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  /** What a value takes on the disk, packed as it may be, is known without reading it. */
  async #fitting(table: CopiedTable, rest: string, after: RowKey | null): Promise<number> {
    const kinds = Object.values(table.columns);
    const columns = selected(table).filter((_, at) => kinds[at] === 'json' || kinds[at] === 'value' || kinds[at] === 'bytes');
    const size = columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');
    const sizes = await this.#rows(`SELECT ${size} ${rest} LIMIT ${ROWS_PER_PAGE}`, after);
    return Math.max(1, rowsThatFit(sizes.map(([bytes]) => Number(bytes))));
  }

  async #rows(text: string, after: RowKey | null): Promise<readonly (readonly unknown[])[]> {
    const values = (after ?? []).map(String);
    return (await this.#told(this.#client.query<unknown[]>({ text, values, rowMode: 'array' }))).rows;
  }

  #one<Row>(text: string): Promise<Row | undefined> {
    return this.#told(this.#sql.one<Row>(text));
  }

  /** What fails of the storage, as a message for the user. */
  async #told<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      throw storageError(error, this.shown);
    }
  }
}

// With its table's name: an output column of the same name is its text.
function keyColumns({ name, key }: CopiedTable): string {
  return key.map((column) => `${name}.${column}`).join(', ');
}

function afterKey(table: CopiedTable, after: RowKey | null): string {
  if (after === null) return '';
  const values = table.key.map((column, at) => `$${at + 1}::${typeOf(table.columns[column] ?? 'text')}`);
  return `WHERE (${keyColumns(table)}) > (${values.join(', ')})`;
}

/** A column's value as every kind of store has it. */
function copied(kind: ColumnKind | undefined, value: unknown): CopiedValue {
  if ((kind === 'integer' || kind === 'order') && typeof value === 'string') return BigInt(value);
  if (kind === 'origin' && value === '') return null;
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return value;
  if (value instanceof Uint8Array) return value;
  throw new Error(`Expected a value of a column, got ${typeof value}`);
}
