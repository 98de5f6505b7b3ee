import type { ClientBase } from 'pg';
import { UPDATE_ADVICE } from '../../../domain/update-advice.ts';
import { quoted } from '../connection.ts';
import { createError, refusal } from '../storage-error.ts';
import { TABLES } from './migration-1-tables.ts';
import { TOTALS } from './migration-1-totals.ts';

/** `breaking`: programs that do not know it must not write any more. */
type Migration = { readonly text: string; readonly breaking: boolean };

/** Entry n brings a schema from version n to n + 1. Released entries are never edited. */
const MIGRATIONS: readonly Migration[] = [{ text: TABLES + TOTALS, breaking: true }];

/** Version of a schema that this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** `gen_random_uuid` and `pg_current_xact_id` are of this one. */
const OLDEST_SERVER = 130_000;

/** 'aiev': the lock of whoever migrates, in any schema of the database. */
export const MIGRATION_LOCK = 0x61696576;

type Found = { readonly server: number; readonly ours: boolean; readonly tables: number };

const FOUND = `
SELECT current_setting('server_version_num')::int AS server, to_regclass($1 || '.aieval_migrations') IS NOT NULL AS ours,
  (SELECT count(*)::int FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $2 AND c.relkind = 'r') AS tables`;

/**
 * Brings the schema to this program's version, under a lock of the transaction, so that processes that start together migrate once.
 * Throws a `UserError` (E22) when the schema belongs to another program or to a newer version that this one would harm, before anything
 * is written. A schema of this version needs no lock.
 */
export async function migrate(client: ClientBase, schema: string, shown: string): Promise<void> {
  if ((await versionOf(client, schema, shown)) >= SCHEMA_VERSION) return;
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const version = await versionOf(client, schema, shown);
    await createSchema(client, schema, shown);
    if (version === 0) await client.query(MIGRATION_TABLE);
    for (const [index, { text, breaking }] of MIGRATIONS.entries()) {
      if (index < version) continue;
      await client.query(text);
      await client.query('INSERT INTO aieval_migrations (version, breaking) VALUES ($1, $2)', [index + 1, breaking]);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/** One that somebody with more rights has made for us needs none of ours on the database, not even for `IF NOT EXISTS`. */
async function createSchema(client: ClientBase, schema: string, shown: string): Promise<void> {
  const found = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  try {
    if (found.rowCount === 0) await client.query(`CREATE SCHEMA ${quoted(schema)}`);
  } catch (error) {
    throw createError(error, shown);
  }
  await client.query(`SET LOCAL search_path TO ${quoted(schema)}`);
}

const MIGRATION_TABLE = `
CREATE TABLE aieval_migrations (version integer PRIMARY KEY, breaking boolean NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`;

/** 0 for a schema that is not there yet, or empty. Throws as `migrate` does. */
export async function versionOf(client: ClientBase, schema: string, shown: string): Promise<number> {
  const [found] = (await client.query<Found>(FOUND, [quoted(schema), schema])).rows;
  if (found === undefined) throw new Error('The server told nothing of itself');
  if (found.server < OLDEST_SERVER) {
    throw refusal(`${shown} is PostgreSQL ${Math.floor(found.server / 10_000)}; 13 or newer is needed.`, ['use a newer server']);
  }
  if (!found.ours && found.tables > 0) {
    throw refusal(`${shown} holds tables of another program; nothing was changed.`, ['use a schema of its own: …?schema=aieval']);
  }
  return found.ours ? await appliedVersion(client, schema, shown) : 0;
}

async function appliedVersion(client: ClientBase, schema: string, shown: string): Promise<number> {
  const applied = `SELECT max(version) AS version, max(version) FILTER (WHERE breaking) AS breaking FROM ${quoted(schema)}.aieval_migrations`;
  const [row] = (await client.query<{ version: number | null; breaking: number | null }>(applied)).rows;
  const breaking = row?.breaking ?? 0;
  if (breaking > SCHEMA_VERSION) {
    throw refusal(`${shown} was written by a newer aieval (schema ${breaking}; this one reads up to ${SCHEMA_VERSION}).`, [UPDATE_ADVICE]);
  }
  return row?.version ?? 0;
}
