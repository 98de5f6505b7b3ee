import { ok, problem } from '../../finding.ts';
import type { Inspection } from '../../maintenance.ts';
import { SCHEMA_VERSION } from '../schema/migrations.ts';
import type { Sql } from '../sql.ts';

type Rights = {
  readonly schemaIsThere: boolean;
  readonly mayMakeSchema: boolean;
  /** `null`: there is no schema. */
  readonly mayMakeTables: boolean | null;
  /** Tables of ours that this user may not read and change. */
  readonly closed: readonly string[];
  /** Whether it may read them all. */
  readonly mayRead: boolean;
  /** The names, quoted as they must be typed. */
  readonly database: string;
  readonly schema: string;
  readonly who: string;
};

const SELECT_RIGHTS = `
SELECT n.oid IS NOT NULL AS schema_is_there, has_database_privilege(current_database(), 'CREATE') AS may_make_schema,
  has_schema_privilege(n.oid, 'CREATE') AS may_make_tables,
  array(SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind = 'r'
    AND NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
      AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE')) ORDER BY c.relname) AS closed,
  NOT EXISTS (SELECT 1 FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind = 'r' AND NOT has_table_privilege(c.oid, 'SELECT')) AS may_read,
  quote_ident(current_database()) AS database, quote_ident(:schema) AS schema, quote_ident(current_user) AS who
FROM (VALUES (:schema::text)) wanted (name) LEFT JOIN pg_namespace n ON n.nspname = wanted.name`;

/** The schema, of whose `version` (0: not there, or empty) is known, and whether this user may do there what a run needs; nothing is written. */
export async function inspectSchema(sql: Sql, schema: string, version: number): Promise<readonly Inspection[]> {
  const rights = await sql.one<Rights>(SELECT_RIGHTS, { schema });
  if (rights === undefined) throw new Error('The server told nothing of rights');
  return [missingRight(rights, version) ?? ok('schema', schemaText(version))];
}

function missingRight({ closed, database, schema, who, ...may }: Rights, version: number): Inspection | null {
  if (!may.schemaIsThere) {
    if (may.mayMakeSchema) return null;
    const text = `the schema is not there yet, and ${who} may not create it.`;
    return problem('schema', text, [`GRANT CREATE ON DATABASE ${database} TO ${who}`, `CREATE SCHEMA ${schema} AUTHORIZATION ${who}`]);
  }
  if (version < SCHEMA_VERSION && may.mayMakeTables !== true) {
    return problem('schema', `${who} may not create the tables in the schema.`, [`ALTER SCHEMA ${schema} OWNER TO ${who}`]);
  }
  const [first] = closed;
  if (version === 0 || first === undefined) return null;
  const text = `${who} may not ${may.mayRead ? 'change' : 'read and change'} ${closed.length === 1 ? 'the table' : `${closed.length} tables, such as`} ${first}.`;
  return problem('schema', text, [`GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO ${who}`]);
}

function schemaText(version: number): string {
  if (version === 0) return 'the schema is not there yet; the first run creates it';
  if (version === SCHEMA_VERSION) return `schema ${version}`;
  return `schema ${version}; the next command that works on runs brings it to ${SCHEMA_VERSION}`;
}
