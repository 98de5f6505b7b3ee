import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../../domain/errors.ts';
import { SpoolFile, type SpoolRecord } from './spool-file.ts';
import { ensurePrivateFolder, syncFolder } from './spool-folder.ts';
import { type Intake, type OnSpool, SPOOL_SUFFIX, type SpoolPlaces, takeIn } from './spool-intake.ts';

/**
 * Room that each worker has on the disk from its start: for 8 answers, the default concurrency, with requests of 512 KiB, which is a
 * context of 128,000 tokens. Written in 5 ms on a local SSD. A larger answer, or more of them, take what the disk still has.
 */
const ROOM_BYTES = 4 * 1024 * 1024;

/** An answer that could not be written for so long is kept until it can. */
const SLOW_MS = 1000;

const STORAGE_EXIT_CODE = 8;

/** What a spool asks of its store. */
export type SpoolStore = {
  /** Gives the database a paid answer, however long it takes. */
  readonly record: (record: SpoolRecord) => Promise<void>;
  readonly intake: Intake;
  /** Whether the database is why an operation failed, and not what it was asked to do. */
  readonly isStorageFailure: (error: unknown) => boolean;
  /** What to do where no place has room, and no disk is full. */
  readonly advice: string;
};

/**
 * Keeps paid answers that the database cannot take: beside it, else in the folders that are given, so that neither a full disk, a broken
 * database nor a server that is away loses one. They are taken in as soon as the database can be written again.
 */
export class Spool {
  readonly #store: SpoolStore;
  readonly #places: SpoolPlaces;
  readonly #onSpool: OnSpool;
  /** Where answers stand that are being written into the database all the while, by their call. */
  readonly #meanwhile = new Map<string, SpoolFile>();
  /** Records of a file that the database has got since. */
  readonly #recorded = new Map<SpoolFile, number>();
  /** By worker, then by folder. */
  readonly #files = new Map<string, Map<string, SpoolFile>>();

  constructor(store: SpoolStore, places: SpoolPlaces, onSpool: OnSpool) {
    this.#store = store;
    this.#places = places;
    this.#onSpool = onSpool;
  }

  /**
   * Before the worker pays for anything, and after it holds its lock. Throws `UserError` (exit 8) where no place has room. A store that was
   * given no place keeps nothing.
   */
  reserve(workerId: string): void {
    if (this.#files.has(workerId) || this.#folders().length === 0) return;
    const problems: Problem[] = [];
    for (const folder of this.#folders()) {
      const file = attempt(folder, problems, () => this.#create(folder, workerId, ROOM_BYTES));
      if (file === null) continue;
      this.#files.set(workerId, new Map([[folder, file]]));
      return;
    }
    throw noRoom(problems, this.#store.advice);
  }

  /** Gives the database a paid answer, and keeps it while, or when, that does not take it: then it throws, and the error tells where it is. */
  async record(record: SpoolRecord): Promise<void> {
    // A process that waits for the lock, or the server, may be killed while it does.
    const slow = setTimeout(() => this.#keepMeanwhile(record), SLOW_MS);
    try {
      await this.#store.record(record);
      this.#noteRecorded(record.token);
    } catch (error) {
      throw this.#keep(record, error);
    } finally {
      clearTimeout(slow);
    }
  }

  /** Keeps an answer for the case that the process ends before the database has got it. Where no place takes it, it may still. */
  #keepMeanwhile(record: SpoolRecord): void {
    const file = this.#keepSomewhere(record, []);
    if (file !== null) this.#meanwhile.set(record.token, file);
  }

  /** The database has got the answer. */
  #noteRecorded(token: string): void {
    const file = this.#meanwhile.get(token);
    if (file === undefined) return;
    this.#meanwhile.delete(token);
    this.#recorded.set(file, (this.#recorded.get(file) ?? 0) + 1);
  }

  /** Keeps an answer that the database refused with `cause`, durably; returns the error that tells it. */
  #keep(record: SpoolRecord, cause: unknown): unknown {
    if (!this.#store.isStorageFailure(cause) || this.#files.size === 0) return cause;
    const problems: Problem[] = [];
    const file = this.#meanwhile.get(record.token) ?? this.#keepSomewhere(record, problems);
    return file === null
      ? extended(cause, `The paid answer of call ${record.token} is lost, no place takes it: ${listOf(problems)}.`)
      : extended(cause, `Its paid answer is safe: ${file.path} keeps it until the database can be written.`);
  }

  #keepSomewhere(record: SpoolRecord, problems: Problem[]): SpoolFile | null {
    const [own] = this.#files;
    if (own === undefined) return null;
    for (const folder of this.#folders()) {
      const file = attempt(folder, problems, () => this.#append(own, folder, record));
      if (file !== null) return file;
    }
    return null;
  }

  /** Takes in what the worker kept, if the database works again, and removes its files; tells what has to stay. */
  async release(workerId: string): Promise<void> {
    const files = this.#files.get(workerId)?.values() ?? [];
    this.#files.delete(workerId);
    for (const file of files) {
      if (file.records === (this.#recorded.get(file) ?? 0)) file.remove();
      else await this.#takeOwn(file);
    }
  }

  async close(): Promise<void> {
    for (const workerId of [...this.#files.keys()]) await this.release(workerId);
  }

  async #takeOwn(file: SpoolFile): Promise<void> {
    file.close();
    const { path } = file;
    const count = file.records - (this.#recorded.get(file) ?? 0);
    const { news, complete } = await takeIn(this.#store.intake, { path, userId: null, stays: false });
    for (const one of complete ? news : [{ kind: 'kept', count, path } as const]) this.#onSpool(one);
  }

  #folders(): readonly string[] {
    const { beside, folders } = this.#places;
    return beside === null ? folders : [beside, ...folders];
  }

  /** Always from the first place on: a small answer may still fit where a large one did not. */
  #append([workerId, files]: readonly [string, Map<string, SpoolFile>], folder: string, record: SpoolRecord): SpoolFile {
    const before = files.get(folder);
    const file = before?.isGone === false ? before : this.#create(folder, workerId, 0);
    if (before !== file) before?.close();
    files.set(folder, file);
    file.append(record);
    return file;
  }

  #create(folder: string, workerId: string, roomBytes: number): SpoolFile {
    const { storeId, database, beside, userId } = this.#places;
    if (folder === beside) ensureFolderBeside(folder);
    else ensurePrivateFolder(folder, userId);
    return SpoolFile.create(join(folder, `${workerId}${SPOOL_SUFFIX}`), { storeId, database, workerId }, roomBytes);
  }
}

type Problem = { readonly folder: string; readonly code: string };

/** `null`: the place does not do it, and `problems` says why. */
function attempt<T>(folder: string, problems: Problem[], work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    problems.push({ folder, code: String(error.code) });
    return null;
  }
}

function listOf(problems: readonly Problem[]): string {
  return problems.map(({ folder, code }) => `${folder} (${code})`).join(', ');
}

/** It may belong to a group that shares the database; the files in it are their writer's alone. */
function ensureFolderBeside(folder: string): void {
  if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) syncFolder(dirname(folder));
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

function noRoom(problems: readonly Problem[], advice: string): UserError {
  const full = problems.some(({ code }) => FULL.has(code));
  return new UserError({
    code: full ? 'E24' : 'E22',
    exitCode: STORAGE_EXIT_CODE,
    message: `no place has room for paid answers that the database could not take: ${listOf(problems)}.`,
    next: [full ? 'free space, then repeat the same command' : advice],
  });
}

function extended(cause: unknown, text: string): Error {
  if (!(cause instanceof UserError)) return new Error(text, { cause });
  const { code, exitCode, message, next } = cause;
  return new UserError({ code, exitCode, message: `${message} ${text}`, next, cause: cause.cause });
}
