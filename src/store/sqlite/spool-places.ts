import { existsSync } from 'node:fs';
import { SPOOL_SUFFIX, type SpoolPlaces } from '../spool/spool-intake.ts';
import type { SqliteOptions } from './options.ts';

/** `database`: its real path. */
type Named = { readonly storeId: string; readonly database: string };

/** Where the paid answers go that the file cannot take: beside it, else into the folders of the options. */
export function spoolPlaces({ storeId, database }: Named, options: Pick<SqliteOptions, 'spoolFolders' | 'userId'>): SpoolPlaces {
  const { spoolFolders: folders = [], userId = null } = options;
  // The database may have been moved; a copy of it leaves the answers to the original while that is where it was.
  const belonging: SpoolPlaces['belonging'] = (owner) => (owner.database === database || !existsSync(owner.database) ? 'own' : 'other');
  return { storeId, database, beside: `${database}${SPOOL_SUFFIX}`, folders, userId, belonging };
}
