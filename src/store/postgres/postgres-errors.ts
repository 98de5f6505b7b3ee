import { DatabaseError } from 'pg';
import { UserError } from '../../domain/errors.ts';

const STORAGE_EXIT_CODE = 8;

/** The database was refused: `E22`, exit 8 unless the user typed it wrong. */
export function refusal(message: string, next: readonly string[], cause?: unknown, exitCode = STORAGE_EXIT_CODE): UserError {
  return new UserError({ code: 'E22', exitCode, message, next, cause });
}

const UNIQUE_VIOLATION = '23505';

/** Indexes that let one of two that do the same at the same moment. */
const CARRIES_A_PROMISE = /^(?:steps_one_flight|runs_one_unfinished|responses_pkey$)/;

const FOREIGN_KEY_VIOLATION = '23503';

/** References to what is shared, and goes when nothing refers to it: it was there a moment ago, and is stored anew. */
const OF_SHARED = /^(?:(?:documents|extractions)_(?:text|structure)_sha256|steps_key|cache_key|cache_call_token)_fkey$/;

/**
 * Two claims took a flight of one key, two runs an identity, or two imports brought one call, at the same moment; or somebody took away as
 * unused what was about to be used.
 */
export function isCollision(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  const { code, constraint = '' } = error;
  return (
    (code === UNIQUE_VIOLATION && CARRIES_A_PROMISE.test(constraint)) || (code === FOREIGN_KEY_VIOLATION && OF_SHARED.test(constraint))
  );
}

/** Serialization, deadlock, lock not available, and a statement that somebody cancelled or that took too long; nothing of it was done. */
const PASSING = /^(?:40001|40P01|55P03|57014)$/;

/**
 * Shutdown, start, a session that was ended for being idle, a standby that is not promoted yet, too many connections, and the class of
 * connections: from a server that is restarted, fails over, or from a pooler before one that is away.
 */
const AWAY = /^(?:57P0[1235]|25P03|25006|53300|08...)$/;

/** The same transaction may succeed a moment later. */
export function isPassing(error: unknown): boolean {
  return (error instanceof DatabaseError && PASSING.test(error.code ?? '')) || isPoolBusy(error) || isDisconnection(error);
}

/** What the transaction needs is held elsewhere: not available in time, or held by one that waits for this one. */
export function isLocked(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '55P03' || error.code === '40P01');
}

const SOCKET_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOENT',
  // A name may be missing for the moment in which it is given to another server.
  'ENOTFOUND',
]);
/** Of the driver, which gives them no code. */
const DRIVER_MESSAGES = /^(?:Connection terminated|Client has encountered a connection error|Query read timeout|timeout expired)/;

/** All connections of this process are in use, and stayed so for long: that says nothing of the server. */
function isPoolBusy(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect';
}

/** The connection is gone, or none came about, or none of use: what the server made of the last statement is not known. */
export function isDisconnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseError) return AWAY.test(error.code ?? '');
  if (error instanceof AggregateError) return error.errors.some(isDisconnection);
  if ('code' in error && typeof error.code === 'string' && SOCKET_CODES.has(error.code)) return true;
  return DRIVER_MESSAGES.test(error.message);
}

/** An error of the storage itself as a message for the user; every other error as it is. `shown` names the store, without password. */
export function storageError(error: unknown, shown: string): unknown {
  if (error instanceof DatabaseError) return databaseError(error, shown);
  return isDisconnection(error) || isPoolBusy(error) ? awayError(error, shown) : error;
}

/** What an attempt to reach the server met, in its own words. */
export function whyOf(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : messageOf(error);
}

function awayError(cause: unknown, shown: string): UserError {
  return new UserError({
    code: 'E40',
    exitCode: STORAGE_EXIT_CODE,
    message: `${shown} does not answer (${whyOf(cause)}); everything settled so far is safe.`,
    next: ['start the server, then repeat the same command', 'aieval doctor'],
    cause,
  });
}

/** Whether the database is why an operation failed, and not what it was asked to do. */
export function isStorageFailure(error: unknown): boolean {
  return error instanceof DatabaseError || isDisconnection(error) || (error instanceof UserError && error.exitCode === STORAGE_EXIT_CODE);
}

function databaseError(error: DatabaseError, shown: string): unknown {
  const code = error.code ?? '';
  if (/^28/.test(code)) return userError(error, shown);
  if (code === '3D000') return refusal(`${shown} does not exist.`, ['createdb, then repeat the same command'], error);
  if (code === '42501')
    return refusal(`${shown} may not be written by this user (${error.message}).`, ['GRANT CREATE ON DATABASE … TO …'], error);
  if (code === '3F000' || code === '42P01')
    return refusal(
      `the tables of ${shown} are not there any more (${error.message}).`,
      ['restore them, then repeat the same command'],
      error,
    );
  if (code === '25006') return refusal(`${shown} is read-only.`, ['use the primary server of the database'], error);
  if (/^53[12]/.test(code)) return fullError(error, shown);
  if (isLocked(error)) return lockedError(error, shown);
  return isPassing(error) ? awayError(error, shown) : error;
}

function userError(error: DatabaseError, shown: string): UserError {
  const next = ['check the user of the URL and the password: PGPASSWORD, ~/.pgpass, or in AIEVAL_STORE'];
  // pg_hba.conf has no line for this user, from this address, or in the clear, which most services do not take.
  if (error.code === '28000') next.push('sslmode=verify-full in the URL, where the server takes only encrypted connections');
  return refusal(`${shown} refuses this user (${error.message}).`, next, error);
}

function fullError(error: DatabaseError, shown: string): UserError {
  const message = `${shown} has no room (${error.message}); everything settled so far is safe.`;
  return new UserError({
    code: 'E24',
    exitCode: STORAGE_EXIT_CODE,
    message,
    next: ['free space on the server, then repeat'],
    cause: error,
  });
}

function lockedError(error: DatabaseError, shown: string): UserError {
  const message = `rows of ${shown} are locked by another program for too long.`;
  const next = ["select * from pg_stat_activity where wait_event_type = 'Lock'", 'repeat the command'];
  return new UserError({ code: 'E21', exitCode: STORAGE_EXIT_CODE, message, next, cause: error });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
