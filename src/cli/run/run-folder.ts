import { existsSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { isCopied, markCopied, unmarkCopied } from '../../artifacts/copied-folder.ts';
import { placeIn } from '../../artifacts/place-in.ts';
import { UserError } from '../../domain/errors.ts';
import { areFilesHere, type PlacedRun } from '../../engine/files-here.ts';
import type { OpenedRun, RunRow } from '../../store/rows.ts';
import { EXIT } from '../exit-codes.ts';
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
  return placeIn(runs, runId);
}

/**
 * Makes the folder for a copy of a run's files. Where it is called as the run's own is on another machine it is marked first, since without
 * that it would pass for it. Throws `UserError`: it cannot be written (exit 8), or another database has its files there (E34).
 */
export function makeCopyFolder(place: StatePlace, run: RunPlace): string {
  const folder = copyFolder(place, run);
  if (run.isCopy === true && folder === run.outDir && existsSync(folder) && !isCopied(folder)) throw takenByOrigin(folder, run);
  createRunsFolder(place);
  if (folder === run.outDir) markCopied(folder);
  probeFolder(folder);
  return folder;
}

/** Of files that a person asks for on the machine that has them. */
export function ownFilesText({ runId }: Pick<RunRow, 'runId'>): string {
  return `${runId} was started here`;
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

function takenByOrigin(folder: string, { runId }: RunPlace): UserError {
  const message = `${folder} holds the files of ${runId} as the database has it that this one is a copy of; nothing was written`;
  return new UserError({ code: 'E34', exitCode: EXIT.usage, message, next: [`aieval artifacts pull ${runId} --out <another folder>`] });
}

type RunPlace = PlacedRun['run'];
