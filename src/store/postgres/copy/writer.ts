import { randomUUID } from 'node:crypto';
import { DatabaseError, type Pool } from 'pg';
import { type CopiedRow, type CopiedValue, type RowKey, storableJson } from '../../copy/copied-row.ts';
import { COPIED_TABLES, type CopiedTable } from '../../copy/copied-tables.ts';
import { copyDiffers } from '../../copy/refusals.ts';
import type { CopyWriter, SideOptions } from '../../copy/side.ts';
import { LeaseWatch } from '../../lease-watch.ts';
import { IN_SILENCE, type ServerPatience } from '../../server-news.ts';
import { connected } from '../connect.ts';
import { openPool, type PostgresPlace, postgresPlace } from '../connection.ts';
import { NO_LOCKS } from '../locks.ts';
import { migrate } from '../schema/migrations.ts';
import { noConnectionYet, storageError } from '../storage-error.ts';
import { tellIfSlow } from '../tell-if-slow.ts';
import { Transactor, type Tx } from '../transactor.ts';
import { type Insert, insertsOf } from './shapes.ts';

/** Opens or creates the schema and brings it to this version. Throws `UserError` (exit 8) as opening a store does. */
export async function openPostgresWriter(location: string, options: SideOptions): Promise<CopyWriter> {
  const { random, onServer = () => undefined } = options;
  const place = postgresPlace(location);
  const pool = openPool(place);
  try {
    await prepare(pool, place, onServer);
  } catch (error) {
    await pool.end();
    throw storageError(error, place.shown);
  }
  const watch = new LeaseWatch(() => performance.now());
  return new PostgresWriter(
    new Transactor(pool, place, { clock: null, random, newToken: randomUUID, watch, patience: { ...IN_SILENCE, onServer } }),
    place,
  );
}

async function prepare(pool: Pool, { schema, shown }: PostgresPlace, onServer: ServerPatience['onServer']): Promise<void> {
  const { patienceMs } = IN_SILENCE;
  const client = await tellIfSlow(connected(pool, shown), () => onServer({ kind: 'away', shown, ...noConnectionYet(), patienceMs }));
  try {
    await migrate(client, schema, shown);
  } finally {
    client.release();
  }
}

const BEGIN = `
WITH gone AS (DELETE FROM unfinished_copy)
INSERT INTO unfinished_copy (source_id, source) VALUES (:sourceId, :source)`;

/** Numbers that are given by the database, and the tables that they are given in. */
export const GIVEN: readonly (readonly [table: string, column: string])[] = [
  ['runs', 'position'],
  ['documents', 'position'],
  ['steps', 'step_id'],
  ['calls', 'position'],
  ['responses', 'position'],
  ['attempts', 'attempt_id'],
];

const NAME_GROUPS = `INSERT INTO budget_groups (group_name) SELECT DISTINCT group_name FROM group_totals ON CONFLICT DO NOTHING`;

class PostgresWriter implements CopyWriter {
  readonly #transactor: Transactor;
  readonly #place: PostgresPlace;

  constructor(transactor: Transactor, place: PostgresPlace) {
    this.#transactor = transactor;
    this.#place = place;
  }

  begin(source: { readonly sourceId: string; readonly source: string }): Promise<void> {
    return this.#change((tx) => tx.sql.send(BEGIN, source));
  }

  async lastKey({ name, key, columns }: CopiedTable): Promise<RowKey | null> {
    const order = key.map((column) => `${name}.${column} DESC`).join(', ');
    const texts = key.map((column, at) => `${name}.${column}::text AS key_${at}`);
    const select = `SELECT ${texts.join(', ')} FROM ${name} ORDER BY ${order} LIMIT 1`;
    const row = await this.#transactor.read(({ sql }) => sql.one<Record<string, string>>(select));
    if (row === undefined) return null;
    return Object.values(row).map((value, at) => (columns[key[at] ?? ''] === 'integer' ? BigInt(value) : value));
  }

  write(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
    const inserts = insertsOf(table, rows).filter(({ columns }) => (columns[0]?.length ?? 0) > 0);
    return this.#change((tx) => {
      for (const insert of inserts) {
        // The lock keeps other writers out until the commit; nobody ever sees the table without its triggers.
        tx.sql.send(`ALTER TABLE ${insert.table} DISABLE TRIGGER USER`);
        send(tx, insert);
        tx.sql.send(`ALTER TABLE ${insert.table} ENABLE TRIGGER USER`);
      }
    });
  }

  settle(): Promise<void> {
    return this.#change((tx) => {
      tx.sql.send(NAME_GROUPS);
      for (const [table, column] of GIVEN) {
        const last = `SELECT max(${column}) AS last FROM ${table}`;
        tx.sql.send(`SELECT setval(pg_get_serial_sequence('${table}', '${column}'), coalesce(last, 1), last IS NOT NULL) FROM (${last}) l`);
      }
      for (const { name } of COPIED_TABLES) tx.sql.send(`ANALYZE ${name}`);
    });
  }

  finish(): Promise<void> {
    return this.#change((tx) => tx.sql.send('DELETE FROM unfinished_copy'));
  }

  close(): Promise<void> {
    return this.#transactor.close();
  }

  async #change(work: (tx: Tx) => void): Promise<void> {
    try {
      await this.#transactor.write(NO_LOCKS, work);
    } catch (error) {
      if (!(error instanceof DatabaseError) || !/^2[23]/.test(error.code ?? '')) throw error;
      throw copyDiffers(`a row cannot be stored in ${this.#place.shown} (${error.message}).`, ['aieval doctor'], error);
    }
  }
}

function send(tx: Tx, { table, names, types, columns }: Insert): void {
  const values = types.map((type, at) => `:v${at}::${type}[]`);
  const given = GIVEN.some(([name, column]) => name === table && names.includes(column)) ? 'OVERRIDING SYSTEM VALUE ' : '';
  const text = `INSERT INTO ${table} (${names.join(', ')}) ${given}SELECT * FROM unnest(${values.join(', ')})`;
  tx.sql.send(text, Object.fromEntries(columns.map((column, at) => [`v${at}`, column.map((value) => bound(types[at] ?? '', value))])));
}

function bound(type: string, value: CopiedValue): string | number | boolean | Uint8Array | null {
  if (typeof value === 'bigint') return value.toString();
  return type === 'jsonb' && typeof value === 'string' ? storableJson(value) : value;
}
