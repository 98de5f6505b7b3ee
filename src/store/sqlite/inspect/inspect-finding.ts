import { UserError } from '../../../domain/errors.ts';
import { problem } from '../../finding.ts';
import type { Inspection } from '../../maintenance.ts';
import { isBusy, storageError } from '../sqlite-errors.ts';

/** What the machine says when it cannot do what it is asked (`EACCES`), in contrast to Node's own codes (`ERR_…`). */
const SYSTEM_ERROR = /^(?:E[A-Z0-9]+|SQLITE_\w+)$/;

/**
 * The findings of one look; where the disk or the database refuses it, that is what is found. A bug is thrown on, and so is a
 * database driver that cannot be loaded.
 */
export async function lookAt(
  check: string,
  path: string,
  look: () => readonly Inspection[] | Promise<readonly Inspection[]>,
): Promise<readonly Inspection[]> {
  try {
    return await patiently(look);
  } catch (error) {
    const known = storageError(error, path);
    if (known instanceof UserError) return [problem(check, known.message, known.next)];
    if (!(error instanceof Error && 'code' in error && SYSTEM_ERROR.test(String(error.code)))) throw error;
    return [problem(check, `${path} could not be looked at: ${error.message} (${String(error.code)})`)];
  }
}

const PATIENCE_MS = 3000;
const PAUSE_MS = 50;

/** Readers wait for nobody but a process that puts the log in order after a crash. */
async function patiently<T>(look: () => T | Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (!isBusy(error) || performance.now() - startedAtMs > PATIENCE_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
