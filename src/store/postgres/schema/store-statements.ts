import type { ClientBase } from 'pg';
import { DatabaseError } from 'pg';
import { quoted } from '../connection.ts';
import { positional } from '../statement.ts';
import { definitionOf, type StoredStatement } from '../stored-statement.ts';
import { MIGRATION_LOCK } from './migrations.ts';

const FOUND = `
SELECT p.proname AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = $1 AND p.proname = ANY ($2::text[])`;

const MAY_NOT = '42501';

/**
 * Makes functions of the statements, where the schema does not have them yet, and returns those that it has: all, unless this user may make
 * none there. They are named after their text, so that programs of several versions use one schema, each its own.
 */
export async function storeStatements(
  client: ClientBase,
  schema: string,
  statements: readonly StoredStatement[],
): Promise<readonly StoredStatement[]> {
  const found = await storedIn(client, schema, statements);
  if (found.length === statements.length) return found;
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await client.query(`SET LOCAL search_path TO ${quoted(schema)}`);
    const known = new Set(await storedIn(client, schema, statements));
    for (const statement of statements) if (!known.has(statement)) await store(client, statement);
    await client.query('COMMIT');
    return statements;
  } catch (error) {
    await client.query('ROLLBACK');
    if (error instanceof DatabaseError && error.code === MAY_NOT) return found;
    throw error;
  }
}

async function storedIn(client: ClientBase, schema: string, statements: readonly StoredStatement[]): Promise<readonly StoredStatement[]> {
  const { rows } = await client.query<{ name: string }>(FOUND, [schema, statements.map(({ functionName }) => functionName)]);
  const names = new Set(rows.map(({ name }) => name));
  return statements.filter(({ functionName }) => names.has(functionName));
}

const TYPES = `SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'to_be_stored'`;

/** The server knows best of which types the statement's values are. */
async function store(client: ClientBase, statement: StoredStatement): Promise<void> {
  await client.query(`PREPARE to_be_stored AS ${positional(statement.text).text}`);
  const { rows } = await client.query<{ types: string[] }>(TYPES);
  await client.query(`DEALLOCATE to_be_stored; ${definitionOf(statement, rows[0]?.types ?? [])}`);
}
