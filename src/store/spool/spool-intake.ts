import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { removeSpool, type SpoolOwner, type SpoolRecord } from './spool-file.ts';
import { isPrivateFolder, type UserId } from './spool-folder.ts';
import type { SpoolContent } from './spool-read.ts';

/** Where a store's spool files are. */
export type SpoolPlaces = {
  readonly storeId: string;
  readonly database: string;
  /** Beside the database: who may write there may write the database itself. `null` for one that is no file. */
  readonly beside: string | null;
  /** Folders that many databases share, best first after the one beside. */
  readonly folders: readonly string[];
  readonly userId: UserId;
  /**
   * Whether a file in a shared folder that bears the store's id is this database's. `copy`: it may be another's that is a copy of this one,
   * or the other way round, so what it holds is taken, and it stays.
   */
  readonly belonging: (owner: SpoolOwner) => 'own' | 'copy' | 'other';
};

/** Whether a worker of this machine lives. */
export type IsAlive = (workerId: string) => boolean | Promise<boolean>;

/** Stored just now, stored before, or of no call of this database. */
export type Fate = 'taken' | 'stored' | 'unknown';

/** Stores one answer that an earlier process kept, once; a step that still waits for it goes back to the queue. */
export type Intake = (record: SpoolRecord) => Promise<Fate>;

export const SPOOL_SUFFIX = '.spool';

export type SpoolNews =
  /** Answers that an earlier process had paid for are in the database now, and the file is gone. */
  | { readonly kind: 'taken'; readonly count: number; readonly path: string }
  /** The process ends, and the database still does not take what it paid for: the next one does. */
  | { readonly kind: 'kept'; readonly count: number; readonly path: string }
  /** The file of an earlier process stays, with all that is in it. */
  | { readonly kind: 'left'; readonly path: string; readonly why: string };

export type OnSpool = (news: SpoolNews) => void;

type Left = {
  readonly isAlive: IsAlive;
  readonly places: SpoolPlaces;
  /** Of one worker; by default of all. */
  readonly workerId?: string;
};

type LeftToTake = Left & { readonly intake: Intake; readonly onSpool: OnSpool };

/** Takes in what workers of this database left behind at their end. What cannot be taken in is told and stays where it is. */
export async function takeInLeftSpools(left: LeftToTake): Promise<{ readonly complete: boolean }> {
  let complete = true;
  for (const spool of await leftSpools(left)) {
    const taken = await takeIn(left.intake, spool);
    complete &&= taken.complete;
    for (const news of taken.news) left.onSpool(news);
  }
  return { complete };
}

/** Files of workers of this database that live no more, those beside it first. */
export async function leftSpools(left: Left): Promise<readonly LeftSpool[]> {
  return [...(await leftBeside(left)), ...(await leftInSharedFolders(left))];
}

/** `stays`: it is not ours to remove. */
export type LeftSpool = { readonly path: string; readonly userId: UserId; readonly stays: boolean };

async function leftBeside({ isAlive, places: { beside }, workerId }: Left): Promise<LeftSpool[]> {
  if (beside === null) return [];
  const left: LeftSpool[] = [];
  for (const name of spoolsIn(beside)) {
    const owner = name.slice(0, -SPOOL_SUFFIX.length);
    if ((workerId ?? owner) === owner && !(await isAlive(owner))) left.push({ path: join(beside, name), userId: null, stays: false });
  }
  return left;
}

/** In a shared folder each file says whose it is; what is unreadable there is not known to be this database's. */
async function leftInSharedFolders({ isAlive, places, workerId }: Left): Promise<LeftSpool[]> {
  const { folders, userId } = places;
  const left: LeftSpool[] = [];
  for (const folder of folders.filter((shared) => isPrivateFolder(shared, userId))) {
    const names = spoolsIn(folder).filter((name) => workerId === undefined || name === `${workerId}${SPOOL_SUFFIX}`);
    for (const path of names.map((name) => join(folder, name))) {
      const read = await contentOf(path, userId);
      const owner = read === 'gone' ? null : (read.content?.owner ?? null);
      const belonging = owner?.storeId === places.storeId ? places.belonging(owner) : 'other';
      if (owner !== null && belonging !== 'other' && !(await isAlive(owner.workerId)))
        left.push({ path, userId, stays: belonging === 'copy' });
    }
  }
  return left;
}

/** Nothing where there is no such folder, or another user's. */
function spoolsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(SPOOL_SUFFIX))
      .sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return [];
    throw error;
  }
}

type Read =
  | { readonly content: SpoolContent; readonly problem: null }
  | { readonly content: null; readonly problem: string }
  /** Another process took it in meanwhile. */
  | 'gone';

async function contentOf(path: string, userId: UserId): Promise<Read> {
  // Loaded when there is a file to read: its validator would cost every start its time.
  const { readSpool } = await import('./spool-read.ts');
  try {
    return { content: readSpool(path, userId), problem: null };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'gone';
    return { content: null, problem: messageOf(error) };
  }
}

export type TakenIn = {
  readonly news: readonly SpoolNews[];
  /** False when the database could not be written, or the file not read. */
  readonly complete: boolean;
};

/** Takes in one file of a process that writes it no more. It is removed after the commit of all that is in it. */
export async function takeIn(intake: Intake, { path, userId, stays }: LeftSpool): Promise<TakenIn> {
  const read = await contentOf(path, userId);
  if (read === 'gone') return { news: [], complete: true };
  const { content, problem } = read;
  if (content === null) return { news: [{ kind: 'left', path, why: problem }], complete: false };
  try {
    const counts = await recordAll(intake, content);
    if (counts.unknown + content.unreadable === 0 && !stays) removeSpool(path);
    const news = newsOf(path, content, counts);
    return { news: stays ? news.filter(({ kind }) => kind === 'taken') : news, complete: true };
  } catch (error) {
    return { news: [{ kind: 'left', path, why: `it cannot be taken in yet: ${messageOf(error)}` }], complete: false };
  }
}

type Counts = Record<Fate, number>;

async function recordAll(intake: Intake, { records }: SpoolContent): Promise<Counts> {
  const counts: Counts = { taken: 0, stored: 0, unknown: 0 };
  for (const fate of await Promise.all(records.map(intake))) counts[fate] += 1;
  return counts;
}

function newsOf(path: string, { unreadable }: SpoolContent, { taken, unknown }: Counts): SpoolNews[] {
  const news: SpoolNews[] = taken === 0 ? [] : [{ kind: 'taken', count: taken, path }];
  const why: string[] = [];
  if (unknown > 0) why.push(`${unknown} of its answers ${unknown === 1 ? 'is' : 'are'} of no call of this database`);
  if (unreadable > 0) why.push(`${unreadable} of its lines cannot be read by this version`);
  return why.length === 0 ? news : [...news, { kind: 'left', path, why: `${why.join(', ')}; remove it if nothing needs it` }];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
