import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir, hostname, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { oneLine } from '../domain/hostile-text.ts';
import type { SideOptions } from '../store/copy/side.ts';
import { isServer } from '../store/location.ts';
import type { Inspection } from '../store/maintenance.ts';
import { storeExists } from '../store/open.ts';
import type { NewWorker } from '../store/plan-rows.ts';
import { IN_SILENCE, type ServerPatience } from '../store/server-news.ts';
import type { SpoolNews } from '../store/spool/spool-intake.ts';
import type { Store } from '../store/store.ts';
import type { Globals } from './globals.ts';
import type { CliIo } from './io.ts';
import { asNativeModuleError } from './native-module.ts';
import { serverWords } from './observe/server-words.ts';
import { createState, findState, requireState, type StatePlace } from './state-folder.ts';
import { packageVersion } from './version.ts';

export type StateOptions = {
  /** Absolute; `null` for commands without a manifest. */
  readonly manifestPath: string | null;
  readonly db: string | null;
  readonly out: string | null;
  /** The command only reads: without a database there is nothing to say. */
  readonly mustExist: boolean;
  /** Hears when the lock of the database is held elsewhere. */
  readonly onLockRetry?: (() => void) | undefined;
  /** How long the store's server is waited for, should it have one; by default no longer than a person waits. */
  readonly patience?: ServerPatience | undefined;
};

export type State = { readonly store: Store; readonly place: StatePlace };

/** Finds, or creates, the state folder and opens the store in it. Throws `UserError` when there is none or it cannot be used. */
export async function openState(io: CliIo, options: StateOptions): Promise<State> {
  const place = findState({ cwd: io.cwd, manifestPath: options.manifestPath, db: options.db, out: options.out });
  const { onLockRetry, patience = toldPatience(io) } = options;
  if (options.mustExist) await requireState(place, patience);
  else createState(io, place);
  io.notes.stateFolder = place.folder;
  io.notes.env = io.env;
  return { store: await openStoreAt(io, place.db, patience, onLockRetry), place };
}

/**
 * The work of a command that needs no manifest, on the store that is there already, which is closed afterwards. Throws `UserError` when
 * there is none or it cannot be used.
 */
export async function withStore<Result>(
  io: CliIo,
  { db, out, onLockRetry, patience }: Pick<Globals, 'db' | 'out'> & Pick<StateOptions, 'onLockRetry' | 'patience'>,
  work: (store: Store, place: StatePlace) => Promise<Result>,
): Promise<Result> {
  const { store, place } = await openState(io, { manifestPath: null, db, out, mustExist: true, onLockRetry, patience });
  try {
    return await work(store, place);
  } finally {
    await store.close();
  }
}

/** The state if there is one already, for a command that must not create any; else `null`. */
export async function readState(io: CliIo, options: Omit<StateOptions, 'mustExist' | 'onLockRetry' | 'patience'>): Promise<State | null> {
  const place = findState({ cwd: io.cwd, ...options });
  const patience = toldPatience(io);
  return (await storeExists(place.db, patience)) ? { store: await openStoreAt(io, place.db, patience), place } : null;
}

/** Of a command that only reads: a person watches it, and is told what it waits for. */
function toldPatience({ stderr, notes }: CliIo): ServerPatience {
  const onServer: ServerPatience['onServer'] = (news) => {
    stderr.write(`warning: ${serverWords(news)}\n`);
    notes.onAside?.();
  };
  return { ...IN_SILENCE, onServer };
}

async function openStoreAt(io: CliIo, location: string, patience: ServerPatience, onLockRetry?: () => void): Promise<Store> {
  try {
    const { openStore } = await import('../store/open.ts');
    return await openStore(location, {
      ...here(io),
      patience,
      monotonic: () => performance.now(),
      random: Math.random,
      newToken: randomUUID,
      heartbeatThread: new URL(`../store/${isServer(location) ? 'postgres' : 'sqlite'}/workers/heartbeat-thread.js`, import.meta.url),
      onForeignHost: (name) =>
        io.stderr.write(`note: ${oneLine(name)} worked on this database a moment ago; it takes up to 23 s to see whether it still does\n`),
      ...(onLockRetry === undefined ? {} : { onLockRetry }),
      onSpool: (news) => io.stderr.write(`note: ${spoolNote(news)}\n`),
    });
  } catch (error) {
    throw asNativeModuleError(error) ?? error;
  }
}

/** Looks at the state that a command started here would use; it need not be there, and is not created. */
export async function inspectState(
  io: CliIo,
  options: Omit<StateOptions, 'mustExist' | 'onLockRetry' | 'patience'>,
): Promise<readonly Inspection[]> {
  const place = findState({ cwd: io.cwd, ...options });
  const { inspectStore } = await import('../store/open.ts');
  return await inspectStore(place.db, { ...here(io), patience: toldPatience(io) });
}

/** What a store must know of this process and this machine. */
function here(io: CliIo) {
  const { AIEVAL_TRUST_FS: trusted = '' } = io.env;
  return {
    clock: io.now,
    hostId: hostId(),
    spoolFolders: spoolFolders(io),
    userId: io.userId,
    fileSystem: {
      trustUncertain: !['', '0', 'false'].includes(trusted),
      onTrusted: (warning: string) => void io.stderr.write(`warning: ${warning}\n`),
    },
  };
}

/** What a copy of one store into another must know of this process. */
export function copySide(io: CliIo): SideOptions {
  const { fileSystem, ...machine } = here(io);
  return { ...machine, ...fileSystem, random: Math.random, onServer: toldPatience(io).onServer };
}

/** Where paid answers go when they can be written neither into the database nor beside it. */
export function spoolFolders(io: CliIo): readonly string[] {
  const { XDG_STATE_HOME: named = '' } = io.env;
  const state = isAbsolute(named) ? named : join(homedir(), '.local', 'state');
  return [join(state, 'aieval', 'spool'), join(tmpdir(), `aieval-spool-${io.userId ?? 'user'}`)];
}

function spoolNote(news: SpoolNews): string {
  if (news.kind === 'left') return `${news.path} is kept: ${news.why}`;
  const answers = `${news.count} paid ${news.count === 1 ? 'answer' : 'answers'}`;
  if (news.kind === 'taken') return `${answers} taken in from ${news.path}`;
  return `${answers} kept in ${news.path}; the next command on this machine that can write the database takes ${news.count === 1 ? 'it' : 'them'} in`;
}

/** This process as a worker: the id is new at each start, because a process id is used again. */
export function thisWorker(io: CliIo, runId: string | null, tags: readonly string[]): NewWorker {
  return { workerId: randomUUID(), runId, hostId: hostId(), hostname: hostname(), pid: io.pid, version: packageVersion(), tags };
}

const RUN_ID_BYTES = 5;

/** `r-` and 8 characters that are easy to read and to type. */
export function newRunId(): string {
  return `r-${BigInt(`0x${randomBytes(RUN_ID_BYTES).toString('hex')}`)
    .toString(32)
    .padStart(8, '0')}`;
}

/** A host is one boot of one machine: two containers on it are one host, the same machine after a restart is another. */
function hostId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return hostname();
    throw error;
  }
}
