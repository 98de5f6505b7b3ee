import { UserError } from '../../domain/errors.ts';

export const STORAGE_EXIT_CODE = 8;

/** SQLite's extended result code of an error, or `null` when it is none of SQLite's. One that left a thread is no `Error` any more. */
function sqliteCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error) || typeof error.code !== 'string') return null;
  return error.code.startsWith('SQLITE_') ? error.code : null;
}

// PROTOCOL: the race for the write-ahead log's locks was lost dozens of times in a row.
const BUSY_CODE = /^SQLITE_(BUSY|LOCKED|PROTOCOL)/;

/** Someone else holds a lock: the same operation may succeed a moment later. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== null && BUSY_CODE.test(code);
}

/** Whether the database is why an operation failed, and not what it was asked to do. */
export function isStorageFailure(error: unknown): boolean {
  return sqliteCode(error) !== null || (error instanceof UserError && error.exitCode === STORAGE_EXIT_CODE);
}

/** An error of the storage itself as a message for the user; every other error as it is. */
export function storageError(error: unknown, path: string): unknown {
  const code = sqliteCode(error);
  if (code === null) return error;
  if (isBusy(error)) return lockedError(path, error);
  if (code === 'SQLITE_FULL') return diskFullError(path, error);
  if (code === 'SQLITE_NOTADB') return refusal(`${path} is not a database; nothing was changed.`, ['use another file: --db new.db'], error);
  if (code.startsWith('SQLITE_READONLY')) return readOnlyError(path, error);
  if (code.startsWith('SQLITE_CANTOPEN')) return cannotOpenError(path, error);
  if (code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_IOERR')) return damagedError(path, code, error);
  return error;
}

/** The database was refused: `E22`, exit 8. */
export function refusal(message: string, next: readonly string[], cause?: unknown): UserError {
  return new UserError({ code: 'E22', exitCode: STORAGE_EXIT_CODE, message, next, cause });
}

function lockedError(path: string, cause: unknown): UserError {
  return new UserError({
    code: 'E21',
    exitCode: STORAGE_EXIT_CODE,
    message: `${path} is locked by another program (backup, sync client, database viewer?).`,
    next: ['close the other program and repeat the command', 'or move the database: --db ~/.local/state/aieval/aieval.db'],
    cause,
  });
}

function diskFullError(path: string, cause: unknown): UserError {
  return new UserError({
    code: 'E24',
    exitCode: STORAGE_EXIT_CODE,
    message: `disk full writing ${path}; everything settled so far is safe.`,
    next: ['free space, then repeat the same command'],
    cause,
  });
}

function readOnlyError(path: string, cause: unknown): UserError {
  return refusal(`${path} is read-only, or its folder is; aieval writes beside the database.`, [`chmod u+w ${path}`], cause);
}

function cannotOpenError(path: string, cause: unknown): UserError {
  return refusal(`cannot open ${path}: its folder is not writable, or the path is a folder.`, ['use another file: --db PATH'], cause);
}

function damagedError(path: string, code: string, cause: unknown): UserError {
  return refusal(
    `${path} cannot be read or written (${code}); nothing was repaired or removed.`,
    ['check the disk; use another file: --db new.db'],
    cause,
  );
}
