import type { ClientBase } from 'pg';
import type { SpoolPlaces } from '../../spool/spool-intake.ts';
import { type PostgresPlace, quoted } from '../connection.ts';
import type { PostgresOptions } from '../options.ts';
import { THIS_DATABASE } from '../this-database.ts';

type Named = { readonly store_id: string; readonly database: string };

/**
 * Where the paid answers go that the server does not take: into the folders of the options. A store is known by the id that its first process
 * gave it, by whatever name and port the server is reached; a database that was copied, or moved to another server, has that too.
 */
export async function spoolPlaces(
  client: ClientBase,
  place: PostgresPlace,
  { spoolFolders: folders = [], userId = null }: Pick<PostgresOptions, 'spoolFolders' | 'userId'>,
): Promise<SpoolPlaces> {
  const { store_id: storeId, database } = await named(client, place);
  return { storeId, database, beside: null, folders, userId, belonging: (owner) => (owner.database === database ? 'own' : 'copy') };
}

async function named(client: ClientBase, { schema }: PostgresPlace): Promise<Named> {
  const begin = client.query(`BEGIN READ ONLY; SET LOCAL search_path TO ${quoted(schema)}`);
  const asked = client.query<Named>(`SELECT store_id, ${THIS_DATABASE} AS database FROM store`);
  const [row] = (await Promise.all([asked, begin, client.query('COMMIT')]))[0].rows;
  if (row === undefined) throw new Error('The store has no id');
  return row;
}
