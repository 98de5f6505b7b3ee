import { isServer, storePath } from '../location.ts';
import type { CopyReader, CopyWriter, SideOptions } from './side.ts';

/** The store that `location` names, as a copy reads it. Throws `UserError` where there is none, or it cannot be read as it is. */
export async function openReader(location: string, options: SideOptions): Promise<CopyReader> {
  if (isServer(location)) return (await import('../postgres/copy/reader.ts')).openPostgresReader(location, options);
  return (await import('../sqlite/copy/reader.ts')).openSqliteReader(storePath(location), options);
}

/** The store that `location` names, as a copy writes it; it is created where it is not there. Throws `UserError` as opening a store does. */
export async function openWriter(location: string, options: SideOptions): Promise<CopyWriter> {
  if (isServer(location)) return (await import('../postgres/copy/writer.ts')).openPostgresWriter(location, options);
  return (await import('../sqlite/copy/writer.ts')).openSqliteWriter(storePath(location), options);
}
