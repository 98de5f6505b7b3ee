import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CliIo } from '../io.ts';
import { findState } from '../state-folder.ts';
import { lineOfVariable } from './env-file.ts';
import { isFile } from './is-file.ts';

/**
 * Where a `.env` is looked for, the folder that counts more first: beside the manifest (`manifestPath`, absolute; `null`: the command has
 * none), then where the state is. So `run` and the commands that look at its run afterwards find one database, also where a `.env` moves it.
 */
export function envFolders({ cwd }: Pick<CliIo, 'cwd'>, manifestPath: string | null): readonly string[] {
  const start = manifestPath === null ? cwd : dirname(manifestPath);
  const state = findState({ cwd, manifestPath, db: null, out: null });
  const isKnown = state.found || manifestPath !== null;
  const home = folderAbove(start, (folder) => movesState(folder) || (isKnown && folder === dirname(state.folder)));
  return [...new Set([...(manifestPath === null ? [] : [start]), ...(home === null ? [] : [home])])];
}

/** The nearest of a folder and those above it. */
function folderAbove(start: string, isMeant: (folder: string) => boolean): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    if (isMeant(folder)) return folder;
    if (dirname(folder) === folder) return null;
  }
}

/** Where nothing of the state is left in its usual place, only this tells where it is. */
function movesState(folder: string): boolean {
  const path = join(folder, '.env');
  if (!isFile(path)) return false;
  const text = textOf(path);
  return ['AIEVAL_DB', 'AIEVAL_STORE', 'AIEVAL_OUT'].some((name) => lineOfVariable(text, name) !== null);
}

/** Empty where nobody may read: it is somebody else's. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
}
