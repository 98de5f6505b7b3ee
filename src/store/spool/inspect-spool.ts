import { ok, warning } from '../finding.ts';
import type { Inspection } from '../maintenance.ts';
import { type IsAlive, leftSpools, type SpoolPlaces } from './spool-intake.ts';

/** Paid answers of processes that are gone, which the database could not take. */
export async function inspectSpool(isAlive: IsAlive, places: SpoolPlaces): Promise<readonly Inspection[]> {
  const left = await leftSpools({ isAlive, places });
  if (left.length === 0) return [ok('spool', 'no paid answers wait outside the database')];
  return left.map(({ path }) =>
    warning('spool', `${path} may hold paid answers that are not in the database yet`, [
      'aieval status (any command that can write the database takes them in, and says what it cannot)',
    ]),
  );
}
