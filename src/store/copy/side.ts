import type { ServerPatience } from '../server-news.ts';
import type { CopiedRow, RowKey } from './copied-row.ts';
import type { CopiedTable } from './copied-tables.ts';

/** What a side must know of this process and this machine. */
export type SideOptions = {
  readonly clock: () => number;
  /** This boot of this machine. */
  readonly hostId: string;
  readonly random: () => number;
  readonly spoolFolders: readonly string[];
  readonly userId: number | null;
  readonly trustUncertain: boolean;
  readonly onTrusted: (warning: string) => void;
  /** Hears of a server that no connection comes about to. */
  readonly onServer?: ServerPatience['onServer'] | undefined;
};

/** One store as a copy reads it: everything at one snapshot, nothing is changed. */
export interface CopyReader {
  /** May be shown: no password. */
  readonly shown: string;
  /** Tells it from every other store, also from a copy of its file. */
  readonly place: string;
  readonly storeId: string;
  /** Rows in the order of their keys, those after `after`; none: that was all. As many as are held in memory without a thought. */
  page(table: CopiedTable, after: RowKey | null): Promise<readonly CopiedRow[]>;
  count(table: CopiedTable): Promise<number>;
  /** Names of processes that work on the store at this moment. */
  livingWorkers(): Promise<readonly string[]>;
  /** What of the store is not in its tables as they are now, in a few words with a command; `null`: nothing. */
  unsettled(): Promise<{ readonly what: string; readonly next: string } | null>;
  /** The id of the store whose copy this one is to become; `null`: it is whole. */
  unfinishedCopy(): Promise<{ readonly sourceId: string; readonly source: string } | null>;
  close(): Promise<void>;
}

/** One store as a copy writes it. Each verb is one transaction; triggers that count are off meanwhile, for what they count is copied, too. */
export interface CopyWriter {
  /** From now on nobody else may open the store, until it is whole. */
  begin(source: { readonly sourceId: string; readonly source: string }): Promise<void>;
  /** The key of the last row that is there, of which all before it are there; `null`: none. */
  lastKey(table: CopiedTable): Promise<RowKey | null>;
  write(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void>;
  /** What follows from the rows: numbers that are given next, and what the planner of queries knows. */
  settle(): Promise<void>;
  /** The store is whole. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** Rows that are read at once, and how many bytes of them. */
export const ROWS_PER_PAGE = 1000;
const BYTES_PER_PAGE = 4 * 1024 * 1024;

/** How many of the next rows make a page, by their sizes: at least one, whatever its size. */
export function rowsThatFit(sizes: readonly number[]): number {
  let bytes = 0;
  for (const [at, size] of sizes.entries()) {
    bytes += size;
    if (bytes > BYTES_PER_PAGE) return Math.max(1, at);
  }
  return sizes.length;
}
