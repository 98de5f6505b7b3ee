import { openClient } from '../connect.ts';
import { postgresPlace } from '../connection.ts';
import { refusal, storageError } from '../storage-error.ts';

type Rights = { readonly read_only: boolean; readonly may_create: boolean; readonly is_there: boolean; readonly is_own: boolean };

/** Tables are of those who made them; in a schema that is there this user must be able to make some. */
const RIGHTS = `
SELECT current_setting('transaction_read_only')::boolean AS read_only,
  CASE WHEN n.oid IS NULL THEN has_database_privilege(current_database(), 'CREATE') ELSE has_schema_privilege(n.oid, 'CREATE') END AS may_create,
  c.oid IS NOT NULL AS is_there, coalesce(pg_has_role(c.relowner, 'USAGE'), true) AS is_own
FROM (SELECT $1::text AS name) wanted
  LEFT JOIN pg_namespace n ON n.nspname = wanted.name
  LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'runs'`;

/** Throws `UserError` (exit 8) where a store could not be written, or not be made; neither is tried. */
export async function refuseUnwritableServer(location: string): Promise<void> {
  const place = postgresPlace(location);
  const { schema, shown } = place;
  const client = await openClient(place, {});
  try {
    const [rights] = (await client.query<Rights>(RIGHTS, [schema])).rows;
    if (rights?.read_only === true) throw refusal(`${shown} is read-only.`, ['name the primary server of the database']);
    if (rights?.is_own === false)
      throw refusal(`the tables of ${shown} are another user's.`, ['copy as the user who owns them, or into another schema']);
    if (rights?.is_there === false && !rights.may_create) {
      throw refusal(`this user may not create a store in ${shown}.`, ['GRANT CREATE ON DATABASE … TO …']);
    }
  } catch (error) {
    throw storageError(error, shown);
  } finally {
    await client.end();
  }
}
