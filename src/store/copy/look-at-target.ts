import { isServer } from '../location.ts';
import { compareStores } from './compare.ts';
import { COPIED_TABLES } from './copied-tables.ts';
import { copyRefused } from './refusals.ts';
import type { CopyReader } from './side.ts';

/** What a target is of a source: nothing yet, a copy that was broken off, or the whole copy. */
export type TargetState = 'empty' | 'begun' | 'whole';

/** Throws `UserError` (E46, exit 7) where the target is something else, or somebody works on it. */
export async function lookAtTarget(source: CopyReader, target: CopyReader, to: string): Promise<TargetState> {
  if (target.place === source.place) throw copyRefused(`${source.shown} cannot be copied into itself.`, ['name another store']);
  const half = await target.unfinishedCopy();
  if (half !== null && half.sourceId === source.storeId) return 'begun';
  if (half !== null) throw copyRefused(`${target.shown} is to become a copy of ${half.source}, which is another store.`, [another(to)]);
  await refuseWorkers(target);
  const held = await heldTables(target);
  if (held.length === 0) return 'empty';
  if ((await compareStores(source, target)).every(({ same }) => same)) return 'whole';
  throw copyRefused(`${target.shown} holds something of its own (${held.join(', ')}); nothing was copied, nothing overwritten.`, [
    another(to),
    'to take over the answers alone: aieval cache export, then aieval cache import there',
  ]);
}

/** Throws `UserError` (E46, exit 7) where somebody works on the store. */
export async function refuseWorkers(side: CopyReader): Promise<void> {
  const alive = await side.livingWorkers();
  if (alive.length === 0) return;
  const names = [...alive.slice(0, SHOWN_WORKERS), ...(alive.length > SHOWN_WORKERS ? ['…'] : [])].join(', ');
  throw copyRefused(
    `${side.shown} is being worked on by ${alive.length === 1 ? 'a process' : `${alive.length} processes`} (host and pid: ${names}).`,
    [
      `end ${alive.length === 1 ? 'it' : 'them'} there, workers that are idle, too: Ctrl-C, kill -INT <pid>, or systemctl stop`,
      'then the same command; on a server a process that was killed counts for a minute',
    ],
  );
}

const SHOWN_WORKERS = 5;

/** What a person knows of a store. */
const TOLD_FIRST = COPIED_TABLES.filter(({ name }) => ['runs', 'jobs', 'responses'].includes(name));
const SHOWN_TABLES = 3;

function another(to: string): string {
  return isServer(to) ? 'copy into another schema: postgres://…/database?schema=name' : 'copy into a file of another name, such as back.db';
}

async function heldTables(target: CopyReader): Promise<readonly string[]> {
  const held: string[] = [];
  for (const table of [...TOLD_FIRST, ...COPIED_TABLES]) {
    const rows = held.length < SHOWN_TABLES ? await target.count(table) : 0;
    if (rows > 0) held.push(`${table.name}: ${rows}`);
  }
  return held;
}
