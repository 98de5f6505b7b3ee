import { join, relative, sep } from 'node:path';
import { UserError } from '../domain/errors.ts';

/**
 * Where something of a run belongs below `folder`. Its names come out of a database that others may write, too: throws a `UserError`
 * (exit 8) where they lead out of it.
 */
export function placeIn(folder: string, path: string): string {
  const place = join(folder, path);
  const way = relative(folder, place);
  if (way !== '..' && !way.startsWith(`..${sep}`)) return place;
  throw new UserError({
    code: 'E22',
    exitCode: 8,
    message: `the database holds the name ${JSON.stringify(path)}, which leads out of ${folder}; nothing was written there.`,
    next: ['aieval doctor'],
  });
}
