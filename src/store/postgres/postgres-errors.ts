import { DatabaseError } from 'pg';
import { UserError } from '../../domain/errors.ts';

const STORAGE_EXIT_CODE = 8;

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

/**
 * Serialization, deadlock, lock not available, a statement that somebody cancelled or that took too long, no memory; nothing of it was done.
 */
const PASSING = /^(?:40001|40P01|55P03|57014|53200|53400)$/;

/**
 * Shutdown, start, a session that was ended for being idle, a standby that is not promoted yet, too many connections, and the class of
 * connections: from a server that is restarted, fails over, or from a pooler before one that is away.
 */
const AWAY = /^(?:57P0[1235]|25P03|25006|53300|08...)$/;

/** The same transaction may succeed a moment later. */
export function isPassing(error: unknown): boolean {
  return (
    isLocked(error) || (error instanceof DatabaseError && PASSING.test(error.code ?? '')) || isPoolBusy(error) || isDisconnection(error)
  );
}

/** Of a standby, or of a database that was made so. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === READ_ONLY;
}

/** Of somebody who is leaving, and waits for no lock any more: in line behind others, or by a cancelled statement. */
export class LockedOut extends Error {}

/** A statement that waited for a lock, and was cancelled or took too long. */
export function isCancelled(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '57014';
}

/** What the transaction needs is held elsewhere: not available in time, or held by one that waits for this one. */
export function isLocked(error: unknown): boolean {
  if (error instanceof LockedOut) return true;
  return error instanceof DatabaseError && (error.code === '55P03' || error.code === '40P01');
}

const READ_ONLY = '25006';

const SOCKET_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'ENOENT',
  // A name may be missing for the moment in which it is given to another server.
  'ENOTFOUND',
]);
/** Of the driver, which gives them no code. */
const DRIVER_MESSAGES = /^(?:Connection terminated|Client has encountered a connection error|Query read timeout|timeout expired)/;

/** All connections of this process are in use, and stayed so for long: that says nothing of the server. */
export function isPoolBusy(error: unknown): boolean {
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

/** Whether the database is why an operation failed, and not what it was asked to do. */
export function isStorageFailure(error: unknown): boolean {
  return error instanceof DatabaseError || isDisconnection(error) || (error instanceof UserError && error.exitCode === STORAGE_EXIT_CODE);
}
