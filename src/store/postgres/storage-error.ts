import { DatabaseError } from 'pg';
import { UserError } from '../../domain/errors.ts';
import { isDisconnection, isLocked, isPassing, isPoolBusy } from './postgres-errors.ts';

const STORAGE_EXIT_CODE = 8;

/** The database was refused: `E22`, exit 8 unless the user typed it wrong. */
export function refusal(message: string, next: readonly string[], cause?: unknown, exitCode = STORAGE_EXIT_CODE): UserError {
  return new UserError({ code: 'E22', exitCode, message, next, cause });
}

/** What is the matter with a server. `what` follows its name, and is followed by the server's own words. */
type Trouble = { readonly code: 'E22' | 'E24' | 'E40'; readonly what: string; readonly next: readonly string[] };

function trouble(code: Trouble['code'], what: string, ...next: readonly string[]): Trouble {
  return { code, what, next };
}

/** It finds more than an error says, and names who lacks what. */
export const DOCTOR = 'aieval doctor';
const REPEAT = 'repeat the same command';
const then = (what: string): string => `${what}, then ${REPEAT}`;

const CHECK_PASSWORD = 'check the user of the URL and the password: PGPASSWORD, ~/.pgpass, or in AIEVAL_STORE';
const WITH_TLS = 'sslmode=verify-full in the URL, where the server takes only encrypted connections';
const NO_RIGHT = 'GRANT USAGE ON SCHEMA … TO …; GRANT ALL ON ALL TABLES IN SCHEMA … TO …';
const OWNER = 'else take the user that made the schema, who owns its tables';
const STANDBY = 'the URL of the primary server, where this is a standby';
const SET_SO = 'else ask who made it so: ALTER DATABASE … SET default_transaction_read_only = off ends it';
const AS_UTF8 = 'createdb --encoding UTF8 --template template0, and use that database';
const LOST = trouble('E22', 'has lost tables or functions that it had', then('restore them from a backup'));
const DAMAGED = trouble('E22', 'is damaged', 'stop the workers, and look at the log of the server', 'restore it from a backup');
const WAIT = then('wait until it takes connections');
const LOG = then('look at the log of the server');

/** By SQLSTATE, or by how several begin: what a person who runs the program can meet, and not what only a fault of ours brings. */
const OF_SERVER: ReadonlyMap<string, Trouble> = new Map([
  // Of whatever stands before the server: PgBouncer says nearly everything so.
  ['08', trouble('E40', 'does not answer', then('start the server, or what stands before it'), DOCTOR)],
  ['22P05', trouble('E22', 'cannot hold every character', AS_UTF8)],
  ['25006', trouble('E22', 'is read-only', STANDBY, SET_SO)],
  // pg_hba.conf has no line for this user, from this address, or in the clear, which most services do not take.
  ['28000', trouble('E22', 'refuses this user', CHECK_PASSWORD, WITH_TLS)],
  ['28', trouble('E22', 'refuses this user', CHECK_PASSWORD)],
  ['3D000', trouble('E22', 'does not exist', then('createdb, by the name in the URL'))],
  ['3F000', LOST],
  ['42501', trouble('E22', 'may not be used so by this user', NO_RIGHT, OWNER, DOCTOR)],
  ['42703', LOST],
  ['42883', LOST],
  ['42P01', LOST],
  ['53100', trouble('E24', 'has no room left on its disk', then('free space on the server'))],
  ['53200', trouble('E40', 'has no memory left', then('give the server more memory'), DOCTOR)],
  ['53300', trouble('E40', 'takes no more connections', 'raise max_connections, or put PgBouncer before the server', DOCTOR)],
  ['53', trouble('E40', 'has not what it needs', LOG, DOCTOR)],
  // Too many transactions since the last vacuum.
  ['54000', trouble('E22', 'takes no more changes', then('VACUUM the database'))],
  ['57014', trouble('E40', 'ends a statement before it is done, again and again', then('look at the load of the server'), DOCTOR)],
  ['57P03', trouble('E40', 'takes no connections yet', WAIT, DOCTOR)],
  ['57P04', trouble('E22', 'was removed', 'restore it from a backup')],
  ['57P', trouble('E40', 'ended the connection', WAIT, DOCTOR)],
  ['58', trouble('E22', 'cannot use its own files', then('look at the disk and the log of the server'))],
  ['XX001', DAMAGED],
  ['XX002', DAMAGED],
  ['XX', trouble('E22', 'has a fault', LOG)],
]);
/** Of what may pass, and did not. */
const ALWAYS_UNDONE = trouble('E40', 'undid the same change again and again', REPEAT, DOCTOR);

const NOT_THERE = then('start the server, or correct the folder of its socket and the port in the URL');
const NO_WAY = trouble(
  'E40',
  'cannot be reached',
  'check the network and what stands between: a firewall, a VPN, the address in the URL',
  DOCTOR,
);

/** By the code of Node. */
const OF_NETWORK: ReadonlyMap<string, Trouble> = new Map([
  ['ECONNREFUSED', trouble('E40', 'does not answer', then('start the server'), DOCTOR)],
  // These two are of a socket in the file system.
  ['ENOENT', trouble('E40', 'does not answer', NOT_THERE, DOCTOR)],
  ['EACCES', trouble('E40', 'may not be reached by this user', 'check the rights of the folder of the socket, host in the URL', DOCTOR)],
  ['ENOTFOUND', trouble('E40', 'has no address', 'check the name of the host in the URL', DOCTOR)],
  ['EAI_AGAIN', trouble('E40', 'has no address for now', then('check the network and its name server'), DOCTOR)],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'EADDRNOTAVAIL', 'EPERM'].map((code) => [code, NO_WAY] as const),
]);
/** Silence, or a connection that broke: the server and the way to it look alike. */
const SILENT = trouble('E40', 'does not answer', then('check that the server runs, and the way to it'), DOCTOR);

/** `null`: it is not of the storage, or only a fault of ours brings it. */
function troubleOf(error: unknown): Trouble | null {
  if (error instanceof DatabaseError) return troubleOfServer(error);
  return isDisconnection(error) || isPoolBusy(error) ? (troubleOfNetwork(error) ?? SILENT) : null;
}

/** Of a connection. A host may have several addresses, which fail each in its way. */
function troubleOfNetwork(error: unknown): Trouble | null {
  const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  return errors.map((one) => OF_NETWORK.get(codeOf(one))).find(isThere) ?? null;
}

function troubleOfServer(error: DatabaseError): Trouble | null {
  const { code = '', routine = '' } = error;
  // Of other limits a program is at fault.
  if (code === '54000' && !routine.startsWith('GetNew')) return null;
  const known = [code, code.slice(0, 3), code.slice(0, 2)].map((each) => OF_SERVER.get(each)).find(isThere);
  return known ?? (isPassing(error) ? ALWAYS_UNDONE : null);
}

function isThere<T>(value: T | undefined): value is T {
  return value !== undefined;
}

/** Without one: empty. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** An error of the storage itself as a message for the user; every other error as it is. `shown` names the store, without password. */
export function storageError(error: unknown, shown: string): unknown {
  if (isLocked(error)) return lockedError(error, shown);
  const trouble = troubleOf(error);
  return trouble === null ? error : troubleError(trouble, error, shown);
}

function troubleError({ code, what, next }: Trouble, cause: unknown, shown: string): UserError {
  // E22 is of what was never right, or is not any more.
  const rest = code === 'E22' ? '' : '; everything settled so far is safe';
  return new UserError({ code, exitCode: STORAGE_EXIT_CODE, message: `${shown} ${what} (${whyOf(cause)})${rest}.`, next, cause });
}

function lockedError(cause: unknown, shown: string): UserError {
  const message = `rows of ${shown} are locked by another program for too long.`;
  const next = ["select * from pg_stat_activity where wait_event_type = 'Lock'", REPEAT];
  return new UserError({ code: 'E21', exitCode: STORAGE_EXIT_CODE, message, next, cause });
}

const MAY_NOT_CREATE = trouble(
  'E22',
  'may not be used so by this user',
  'GRANT CREATE ON DATABASE … TO …',
  'CREATE SCHEMA … AUTHORIZATION …',
);

/** The same of making the schema: where that is forbidden, rights in the schema are no help. */
export function createError(error: unknown, shown: string): unknown {
  return error instanceof DatabaseError && error.code === '42501' ? troubleError(MAY_NOT_CREATE, error, shown) : error;
}

/** Of an error of this file whose code is E40, the server that is waited for. */
export function awayOf({ message, cause }: UserError): { readonly shown: string; readonly what: string; readonly why: string } {
  const what = whatOf(cause);
  const [shown = ''] = message.split(` ${what} (`);
  return { shown, what, why: whyOf(cause) };
}

/** What is the matter with a server that is waited for; follows its name. */
export function whatOf(error: unknown): string {
  return (troubleOf(error) ?? SILENT).what;
}

/** The same, of one that nobody has heard of yet. */
export function noConnectionYet(): { readonly what: string; readonly why: string } {
  return { what: SILENT.what, why: 'no connection yet' };
}

/** What an attempt to reach the server met, in its own words. */
export function whyOf(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : messageOf(error);
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return NOT_QUERYABLE.test(text) ? 'the connection broke' : text;
}

/** How the driver says on whose connection nothing can be asked any more. */
const NOT_QUERYABLE = /^Client has encountered a connection error/;

/** Codes of Node for a certificate that proves nothing to us. */
const CERTIFICATE = /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_|HOSTNAME_MISMATCH$)/;
/** Too many open files are this machine's matter. */
const OF_THIS_MACHINE = /^(?:EMFILE|ENFILE)$/;
/** How the driver begins, without any code, what it has to say of a password. */
const OF_PASSWORD = /^SASL/;

/**
 * The same of what kept a connection from coming about. Unlike in a transaction an error is of the server, the certificate, the password or
 * the URL, for most of which the driver has no code.
 */
export function connectError(error: unknown, shown: string): unknown {
  const ofNetwork = error instanceof DatabaseError ? null : troubleOfNetwork(error);
  const known = ofNetwork === null ? storageError(error, shown) : troubleError(ofNetwork, error, shown);
  if (!(error instanceof Error) || known instanceof UserError || OF_THIS_MACHINE.test(codeOf(error))) return known;
  if (error instanceof DatabaseError) {
    return refusal(
      `${shown} refuses the connection (${error.message}).`,
      ['check the URL: the database, and what stands after the ?'],
      error,
    );
  }
  if (CERTIFICATE.test(codeOf(error))) return certificateError(error, shown);
  if (OF_PASSWORD.test(error.message)) return refusal(`${shown} refuses this user (${error.message}).`, [CHECK_PASSWORD], error);
  const next = ['check sslmode in the URL: without TLS it is disable, and so it is when none is stated'];
  return refusal(`no connection to ${shown} (${error.message}).`, next, error);
}

function certificateError(error: Error, shown: string): UserError {
  const next = [
    'sslrootcert=<path of the CA certificate> in the URL, and the host by the name in its certificate',
    'sslmode=require in the URL encrypts without proof of who is there',
  ];
  return refusal(`${shown} does not prove to be that server (${error.message}).`, next, error);
}
