import type { FilesLock, Store } from '../store/store.ts';
import type { Projection } from './projections.ts';

/** How long a writer waits for another one. */
export type Patience = {
  readonly limitMs: number;
  /** Ends the wait before that. */
  readonly giveUp?: AbortSignal;
};

/**
 * - `written`: this process wrote
 * - `current`: another one did while this one waited, and nothing was left to write
 * - `busy`: another one still writes, or holds the right and is frozen; the files count as unwritten
 */
export type FilesEnd = 'written' | 'current' | 'busy';

/** A holder that died holds nothing, and writing takes seconds: whoever holds on for longer is frozen and may never let go. */
export const LONGEST_WRITE_MS = 30_000;

const LOOK_AGAIN_MS = 50;

export type FilesWork = {
  /** Done first by whoever gets the right; it may declare files to be unwritten. */
  readonly before?: () => Promise<void>;
  readonly write: () => Promise<void>;
};

/** Writes files of a run as its only writer. A process that dies meanwhile leaves the right to the next one. */
export async function asOnlyWriter({ store, run }: Projection, patience: Patience, { before, write }: FilesWork): Promise<FilesEnd> {
  const right = await waitForRight(store, run.runId, patience);
  if (right === null) return 'busy';
  try {
    await before?.();
    if (right.waited && (await isCurrent(store, run.runId))) return 'current';
    await write();
    return 'written';
  } finally {
    await right.lock.release();
  }
}

type Right = { readonly lock: FilesLock; readonly waited: boolean };

async function waitForRight(store: Store, runId: string, { limitMs, giveUp }: Patience): Promise<Right | null> {
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    const lock = await store.lockFiles(runId);
    if (lock !== null) return { lock, waited: waitedMs > 0 };
    if (waitedMs >= limitMs || giveUp?.aborted === true) return null;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

/** Whether what was written of the run is what its rows say now. */
export async function isCurrent(store: Store, runId: string): Promise<boolean> {
  const run = await store.getRun(runId);
  return run !== null && run.summaryAtMs !== null && (await store.jobsWithoutArtifacts(runId, 1)).length === 0;
}
