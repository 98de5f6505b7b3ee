import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runFacts } from '../runs/run-facts.ts';
import { recordResponse } from '../steps/responses.ts';
import { handBack } from '../steps/settle.ts';
import { stepOfLease } from '../steps/step-row.ts';
import type { Transactor, Tx } from '../transactor.ts';
import type { Liveness } from '../workers/liveness.ts';
import { removeSpool, type SpoolOwner, type SpoolRecord } from './spool-file.ts';
import { isPrivateFolder, type UserId } from './spool-folder.ts';
import type { SpoolContent } from './spool-read.ts';

/** Where a store's spool files are. */
export type SpoolPlaces = {
  readonly storeId: string;
  /** Real path of the database. */
  readonly database: string;
  /** Folders that many databases share, for what cannot be written beside this one; best first. */
  readonly folders: readonly string[];
  readonly userId: UserId;
};

export const SPOOL_SUFFIX = '.spool';

export type SpoolNews =
  /** Answers that an earlier process had paid for are in the database now, and the file is gone. */
  | { readonly kind: 'taken'; readonly count: number; readonly path: string }
  /** The process ends, and the database still does not take what it paid for: the next one does. */
  | { readonly kind: 'kept'; readonly count: number; readonly path: string }
  /** The file of an earlier process stays, with all that is in it. */
  | { readonly kind: 'left'; readonly path: string; readonly why: string };

export type OnSpool = (news: SpoolNews) => void;

/** The folder beside the database: who may write there may write the database itself. */
export function folderBeside({ database }: SpoolPlaces): string {
  return `${database}${SPOOL_SUFFIX}`;
}

type Left = { readonly liveness: Liveness; readonly places: SpoolPlaces };
type Intake = Left & { readonly transactor: Transactor; readonly onSpool: OnSpool };

/** Takes in what workers of this database left behind at their end. What cannot be taken in is told and stays where it is. */
export async function takeInLeftSpools(intake: Intake): Promise<void> {
  const { transactor, onSpool } = intake;
  for (const { path, userId } of await leftSpools(intake)) {
    for (const news of (await takeIn(transactor, path, userId)).news) onSpool(news);
  }
}

/** Files of workers of this database that live no more, those beside it first. */
export async function leftSpools(left: Left): Promise<readonly LeftSpool[]> {
  return [...leftBeside(left), ...(await leftInSharedFolders(left))];
}

export type LeftSpool = { readonly path: string; readonly userId: UserId };

function leftBeside({ liveness, places }: Left): LeftSpool[] {
  const folder = folderBeside(places);
  return spoolsIn(folder)
    .filter((name) => !liveness.isAlive(name.slice(0, -SPOOL_SUFFIX.length)))
    .map((name) => ({ path: join(folder, name), userId: null }));
}

/** In a shared folder each file says whose it is; what is unreadable there is not known to be this database's. */
async function leftInSharedFolders({ liveness, places }: Left): Promise<LeftSpool[]> {
  const { folders, userId } = places;
  const left: LeftSpool[] = [];
  for (const folder of folders.filter((shared) => isPrivateFolder(shared, userId))) {
    for (const path of spoolsIn(folder).map((name) => join(folder, name))) {
      const owner = (await contentOf(path, userId)).content?.owner ?? null;
      if (owner !== null && isOurs(owner, places) && !liveness.isAlive(owner.workerId)) left.push({ path, userId });
    }
  }
  return left;
}

/** The database may have been moved; a copy of it leaves the answers to the original while that is where it was. */
function isOurs(owner: SpoolOwner, { storeId, database }: SpoolPlaces): boolean {
  return owner.storeId === storeId && (owner.database === database || !existsSync(owner.database));
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

type Read = { readonly content: SpoolContent; readonly problem: null } | { readonly content: null; readonly problem: string };

async function contentOf(path: string, userId: UserId): Promise<Read> {
  // Loaded when there is a file to read: its validator would cost every start its time.
  const { readSpool } = await import('./spool-read.ts');
  try {
    return { content: readSpool(path, userId), problem: null };
  } catch (error) {
    return { content: null, problem: messageOf(error) };
  }
}

export type TakenIn = {
  readonly news: readonly SpoolNews[];
  /** False when the database could not be written, or the file not read. */
  readonly complete: boolean;
};

/** Takes in one file of a process that writes it no more. It is removed after the commit of all that is in it. */
export async function takeIn(transactor: Transactor, path: string, userId: UserId): Promise<TakenIn> {
  const { content, problem } = await contentOf(path, userId);
  if (content === null) return { news: [{ kind: 'left', path, why: problem }], complete: false };
  try {
    const counts = await recordAll(transactor, content);
    if (counts.unknown + content.unreadable === 0) removeSpool(path);
    return { news: newsOf(path, content, counts), complete: true };
  } catch (error) {
    return { news: [{ kind: 'left', path, why: `it cannot be taken in yet: ${messageOf(error)}` }], complete: false };
  }
}

type Counts = { taken: number; stored: number; unknown: number };

async function recordAll(transactor: Transactor, { records }: SpoolContent): Promise<Counts> {
  const counts: Counts = { taken: 0, stored: 0, unknown: 0 };
  for (const fate of await Promise.all(records.map((record) => transactor.write((tx) => recordOnce(tx, record))))) counts[fate] += 1;
  return counts;
}

function newsOf(path: string, { unreadable }: SpoolContent, { taken, unknown }: Counts): SpoolNews[] {
  const news: SpoolNews[] = taken === 0 ? [] : [{ kind: 'taken', count: taken, path }];
  const why: string[] = [];
  if (unknown > 0) why.push(`${unknown} of its answers ${unknown === 1 ? 'is' : 'are'} of no call of this database`);
  if (unreadable > 0) why.push(`${unreadable} of its lines cannot be read by this version`);
  return why.length === 0 ? news : [...news, { kind: 'left', path, why: `${why.join(', ')}; remove it if nothing needs it` }];
}

const SELECT_FATE = `
SELECT EXISTS (SELECT 1 FROM responses WHERE call_token = :token) AS stored,
  EXISTS (SELECT 1 FROM calls WHERE call_token = :token) AS known`;

/**
 * Stores one answer, once. A step that still waits for it goes back to the queue at once: it is judged without a call, and its lease
 * would only make that late.
 */
function recordOnce(tx: Tx, { token, completion }: SpoolRecord): keyof Counts {
  const fate = tx.sql.one<{ stored: 0 | 1; known: 0 | 1 }>(SELECT_FATE, { token });
  if (fate?.stored === 1) return 'stored';
  if (fate?.known !== 1) return 'unknown';
  recordResponse(tx, token, completion);
  const step = stepOfLease(tx.sql, token);
  if (step !== undefined) handBack({ tx, run: runFacts(tx.sql, step.runId), step, token });
  return 'taken';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
