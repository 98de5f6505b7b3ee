import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import type { FilesLock } from '../../store.ts';
import { isBusy, isStorageFailure, refusal, storageError } from '../sqlite-errors.ts';

/** A look at a lock takes it for a moment; whoever wants to keep it waits that long. */
const LOOK_MS = 1000;

/** A worker between the creation of its file and the lock is younger. */
const SWEEP_AGE_MS = 86_400_000;

/**
 * Proof of life: each worker's process holds a lock that the kernel frees at its death, however it died, and keeps while it is
 * frozen. A process id proves nothing: it is used again, and is another in a container. The lock is SQLite's own, on an empty
 * database beside the store's, so that it works wherever the store does.
 */
export class Liveness {
  readonly #folder: string;
  readonly #held = new Map<string, Database>();

  /** `path` is the store's database. */
  constructor(path: string) {
    this.#folder = `${path}.workers`;
  }

  /** Before the worker is registered: a registered worker whose lock is free is dead. Throws `UserError` where it cannot be written. */
  hold(workerId: string): void {
    if (this.#held.has(workerId)) return;
    try {
      mkdirSync(this.#folder, { recursive: true });
      this.#sweep();
      const db = new BetterSqlite3(this.#file(workerId), { timeout: LOOK_MS });
      this.#held.set(workerId, db);
      db.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      throw asRefusal(error, this.#folder);
    }
  }

  /** Old files of killed workers that held nothing, so that nobody had to take anything over from them. */
  #sweep(): void {
    for (const name of readdirSync(this.#folder)) {
      const workerId = name.replace(/\.lock$/, '');
      const age = Date.now() - (statSync(this.#file(workerId), { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > SWEEP_AGE_MS && this.isDead(workerId)) this.forget(workerId);
    }
  }

  /** Holds again what somebody has removed: without its file a living worker looks gone. */
  keep(workerId: string): void {
    const before = this.#held.get(workerId);
    if (before === undefined || existsSync(this.#file(workerId))) return;
    this.#held.delete(workerId);
    before.close();
    this.hold(workerId);
  }

  /** After the worker is forgotten. */
  release(workerId: string): void {
    this.#held.get(workerId)?.close();
    if (this.#held.delete(workerId)) this.forget(workerId);
  }

  /** False also where it cannot be known: for a worker without a lock file, of another version, user or machine, or on a full disk. */
  isDead(workerId: string): boolean {
    return !this.#held.has(workerId) && existsSync(this.#file(workerId)) && isFree(this.#file(workerId));
  }

  /** Whether a worker of this machine lives: its lock is there, and not known to be free. */
  isAlive(workerId: string): boolean {
    return this.#held.has(workerId) || (existsSync(this.#file(workerId)) && !this.isDead(workerId));
  }

  /**
   * The lock of a run's files, or `null` while another holds it. Its file stays as long as the run: removed, it could be locked twice,
   * once under its old and once under its new inode. When the run is gone, nobody has anything left to write.
   */
  lockFiles(runId: string): FilesLock | null {
    mkdirSync(this.#folder, { recursive: true });
    const file = join(this.#folder, `${runId}.files`);
    const db = new BetterSqlite3(file, { timeout: 0 });
    try {
      db.exec('BEGIN EXCLUSIVE');
      return { release: async () => void db.close(), discard: async () => discardLock(db, file) };
    } catch (error) {
      db.close();
      if (isBusy(error)) return null;
      throw asRefusal(error, this.#folder);
    }
  }

  /** The file of a worker that is gone. Where it cannot be removed it stays: free, it does no harm. */
  forget(workerId: string): void {
    try {
      rmSync(this.#file(workerId), { force: true });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
  }

  /** Of a worker that was not forgotten, because the database could not be written, the free lock stays: it says that it is gone. */
  close(): void {
    for (const db of this.#held.values()) db.close();
    this.#held.clear();
  }

  #file(workerId: string): string {
    return join(this.#folder, `${workerId}.lock`);
  }
}

/** While it is held, so that the file is this lock's and no later one's. One that may not be removed is an empty file, and stays. */
function discardLock(db: Database, file: string): void {
  try {
    rmSync(file, { force: true });
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
  } finally {
    db.close();
  }
}

/** A lock that cannot be asked for is not known to be free. */
function isFree(file: string): boolean {
  let db: Database | undefined;
  try {
    db = new BetterSqlite3(file, { timeout: 0 });
    db.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (isBusy(error) || isStorageFailure(error)) return false;
    throw error;
  } finally {
    db?.close();
  }
}

/** Workers keep their locks, and whoever writes a run's files, beside the database. */
function asRefusal(error: unknown, folder: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'SQLITE';
  if (code.startsWith('SQLITE') && !code.startsWith('SQLITE_CANTOPEN') && !code.startsWith('SQLITE_READONLY'))
    return storageError(error, folder);
  return refusal(
    `cannot write ${folder}, where workers keep their locks (${code}).`,
    [`chmod u+w ${folder}`, 'use another file: --db PATH'],
    error,
  );
}
