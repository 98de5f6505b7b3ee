import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolders } from './make-folders.ts';
import { storageError } from './storage-error.ts';

/** Beside the runs' folders, not in them: a copy holds what the original holds, and nothing else. */
const COPIES = '.copies';

/**
 * Notes that a run's folder is a copy of another machine's, which is called the same there. Throws a `UserError` (exit 8) where that
 * cannot be written.
 */
export function markCopied(runDir: string): void {
  const mark = markOf(runDir);
  try {
    makeFolders(dirname(mark));
    writeFileSync(mark, '');
  } catch (error) {
    throw storageError(error, mark);
  }
}

/** The folder is gone, or the run's own from now on. */
export function unmarkCopied(runDir: string): void {
  rmSync(markOf(runDir), { force: true });
}

/** Whether a run's folder is such a copy: nothing that is written there counts as written. */
export function isCopied(runDir: string): boolean {
  return existsSync(markOf(runDir));
}

function markOf(runDir: string): string {
  return join(dirname(runDir), COPIES, basename(runDir));
}
