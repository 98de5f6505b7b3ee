import { existsSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { isCopied, markCopied, unmarkCopied } from '../../artifacts/copied-folder.ts';
import { areFilesHere, type PlacedRun } from '../../engine/files-here.ts';
import type { OpenedRun, RunRow } from '../../store/rows.ts';
import { createRunsFolder, probeFolder, type StatePlace } from '../state-folder.ts';

/**
 * Opens a run whose files belong into `outDir`, if it is new. Where machines share the store that folder stands before the run does:
 * whoever continues it knows by the folder whose the files are. It goes again when another run was joined.
 */
export async function openedInFolder(store: PlacedRun['store'], outDir: string, open: () => Promise<OpenedRun>): Promise<OpenedRun> {
  if (!store.spansMachines) return await open();
  probeFolder(outDir);
  let isOwn = false;
  try {
    const opened = await open();
    isOwn = opened.run.outDir === outDir;
    return opened;
  } finally {
    if (!isOwn) rmdirSync(outDir);
  }
}

/** Makes the folder of a run whose files are this machine's from now on. Throws `UserError` (exit 8) where it cannot be written. */
export function makeRunFolder({ outDir }: Pick<RunRow, 'outDir'>): void {
  probeFolder(outDir);
  unmarkCopied(outDir);
}

/** The same of a run whose files may be another machine's: then nothing is made, nor looked at. */
export function probeRunFolder(store: PlacedRun['store'], run: PlacedRun['run']): void {
  if (areFilesHere({ store, run })) probeFolder(run.outDir);
}

/** Where a copy of a run's files belongs on this machine. */
export function copyFolder({ runs }: Pick<StatePlace, 'runs'>, { runId }: Pick<RunRow, 'runId'>): string {
  return join(runs, runId);
}

/**
 * Makes the folder for a copy of a run's files. Where it is called as the run's own is on another machine it is marked first, since without
 * that it would pass for it. Throws `UserError` (exit 8) where it cannot be written.
 */
export function makeCopyFolder(place: StatePlace, run: RunPlace): string {
  const folder = copyFolder(place, run);
  createRunsFolder(place);
  if (folder === run.outDir) markCopied(folder);
  probeFolder(folder);
  return folder;
}

/** A copy of a run's files that is on this machine, whole or not; `null`: there is none. */
export function copyHere(place: Pick<StatePlace, 'runs'>, run: RunPlace): string | null {
  const copy = copyFolder(place, run);
  return existsSync(copy) && (copy !== run.outDir || isCopied(copy)) ? copy : null;
}

/** Where a run's files can be looked at on this machine: its own folder, or a whole copy; `null`: nowhere. */
export function folderHere(store: PlacedRun['store'], run: RunPlace, place: Pick<StatePlace, 'runs'>): string | null {
  if (areFilesHere({ store, run })) return run.outDir;
  const copy = copyHere(place, run);
  return copy !== null && existsSync(join(copy, 'jobs')) ? copy : null;
}

type RunPlace = Pick<RunRow, 'runId' | 'outDir'>;
