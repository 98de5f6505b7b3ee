import { refusal, storageError } from '../sqlite-errors.ts';

/** Workers keep their locks, and whoever writes a run's files, beside the database: `UserError` where that cannot be. */
export function lockRefusal(error: unknown, folder: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'SQLITE';
  if (code.startsWith('SQLITE') && !code.startsWith('SQLITE_CANTOPEN') && !code.startsWith('SQLITE_READONLY'))
    return storageError(error, folder);
  return refusal(
    `cannot write ${folder}, where workers keep their locks (${code}).`,
    [`chmod u+w ${folder}`, 'use another file: --db PATH'],
    error,
  );
}
