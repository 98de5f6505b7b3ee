import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { UserError } from '../../domain/errors.ts';
import { size } from '../../domain/size.ts';
import { lockHolder, syncedBy } from './lock-holder.ts';

const STORAGE_EXIT_CODE = 8;

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

/** What was to be written breaks a rule of the schema. */
export function isBrokenRule(error: unknown): error is Error {
  return error instanceof Error && sqliteCode(error)?.startsWith('SQLITE_CONSTRAINT') === true;
}

/** The file's own pages are not what SQLite wrote. */
export function isDamage(error: unknown): error is Error {
  return error instanceof Error && sqliteCode(error)?.startsWith('SQLITE_CORRUPT') === true;
}

/** The disk, full or broken, does not do what SQLite asks of it. */
export function isDiskFailure(error: unknown): boolean {
  return /^SQLITE_(?:IOERR|FULL)/.test(sqliteCode(error) ?? '');
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
  if (code.startsWith('SQLITE_IOERR') && !READ_CODE.test(code)) return notWrittenError(path, code, error);
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
  const holder = lockHolder(path);
  const who = holder === null ? ' (backup, sync client, database viewer?)' : `: process ${holder.pid} (${holder.name})`;
  const synced = syncedBy(path);
  const why = synced === null ? '' : ` It lies in a folder of ${synced}, which opens files while they are in use.`;
  const own = synced === null ? 'or move the database' : 'move the database';
  const move = `${own} to a local folder: the same command with --db ~/.local/state/aieval/aieval.db`;
  const close =
    holder === null ? 'close the other program and repeat the command' : `ps -fp ${holder.pid}, and repeat the command when it has ended`;
  return new UserError({
    code: 'E21',
    exitCode: STORAGE_EXIT_CODE,
    message: `${path} is locked by another program${who}.${why}`,
    next: synced === null ? [close, move] : [move, close],
    cause,
  });
}

const SAFE = 'everything settled so far is safe.';
const FREE_SPACE = 'free space, then repeat the same command';

function diskFullError(path: string, cause: unknown): UserError {
  const freeBytes = freeBytesOf(path);
  // More than that is no explanation: a quota, or a limit of the database's own, was reached.
  const free = freeBytes === null || freeBytes > LITTLE_BYTES ? '' : ` (${size(freeBytes)} free)`;
  return fullError(`disk full writing ${path}${free}; ${SAFE}`, [FREE_SPACE], cause);
}

function fullError(message: string, next: readonly string[], cause: unknown): UserError {
  return new UserError({ code: 'E24', exitCode: STORAGE_EXIT_CODE, message, next, cause });
}

/** Reading needs no space: these come of a broken disk, or of a file that another program cut. */
const READ_CODE = /^SQLITE_IOERR_(?:READ|SHORT_READ|FSTAT|CORRUPTFS|DATA|NOMEM)$/;

/** A quota, a limit of the file's size, or a shared-memory file that cannot grow: SQLite keeps its own code for a write that ENOSPC ended. */
const OFTEN_FULL: ReadonlySet<string> = new Set(['SQLITE_IOERR_WRITE', 'SQLITE_IOERR_SHMSIZE']);

const LITTLE_BYTES = 100_000_000;
/** With less than that neither the log nor its index can grow. */
const NEARLY_NOTHING_BYTES = 1024 * 1024;

/** A full disk and a broken one may end in the same code; the free space tells them apart. */
function notWrittenError(path: string, code: string, cause: unknown): UserError {
  const freeBytes = freeBytesOf(path);
  if (freeBytes !== null && freeBytes < NEARLY_NOTHING_BYTES) {
    return fullError(`disk full writing ${path} (${code}, ${size(freeBytes)} free); ${SAFE}`, [FREE_SPACE], cause);
  }
  const elsewhere = 'else check the disk; use another file: --db new.db';
  if (!OFTEN_FULL.has(code)) {
    const text = `${path} cannot be read or written (${code}${freeText(path)}); nothing was repaired or removed.`;
    return refusal(text, [`if the disk or a quota is full: ${FREE_SPACE}`, elsewhere], cause);
  }
  const text = `${path} cannot grow (${code}${freeText(path)}): the disk, a quota or a limit of file sizes is full; ${SAFE}`;
  return fullError(text, [FREE_SPACE, elsewhere], cause);
}

function freeText(path: string): string {
  const freeBytes = freeBytesOf(path);
  return freeBytes === null ? '' : `, ${size(freeBytes)} free`;
}

/** What a user may still write beside the file; `null` where the system does not say. */
function freeBytesOf(path: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(dirname(path), { bigint: true });
    return Number(bavail * bsize);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

function readOnlyError(path: string, cause: unknown): UserError {
  const message = `${path} is read-only, or its folder is; aieval writes beside the database.`;
  return refusal(message, [...[path, dirname(path)].flatMap(ownersAdvice), 'use another file: --db PATH'], cause);
}

/** Only the owner can change who may write, and only where the disk takes writes at all. */
function ownersAdvice(path: string): string[] {
  if (systemCode(() => accessSync(path, constants.W_OK)) !== 'EACCES') return [];
  return statSync(path, { throwIfNoEntry: false })?.uid === ownUserId() ? [`chmod u+w ${path}`] : [];
}

/** `null` for a user without an entry, as containers have them. */
function ownUserId(): number | null {
  let userId: number | null = null;
  systemCode(() => {
    userId = userInfo().uid;
  });
  return userId;
}

/** Of what the system refuses; `null` when it does not. */
function systemCode(work: () => void): string | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code);
    throw error;
  }
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
