import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { lockFile, locksFolder } from './lock-file.ts';

/** A look at a lock takes it for a moment; whoever wants to keep it waits that long. */
const LOOK_MS = 1000;

/** A worker between the creation of its file and the lock is younger. */
const SWEEP_AGE_MS = 86_400_000;

/**
 * Proof of life: each worker's process holds a lock that the kernel frees at its death, however it died, and keeps while it is
 * frozen. A process id proves nothing: it is used again, and is another in a container. The lock is SQLite's own, on an empty
 * database, so that it works wherever a SQLite store does.
 */
export class Liveness {
  readonly #path: string;
  readonly #held = new Map<string, Database>();

  /** `path`: as `locksFolder` has it. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Where the locks are. */
  get folder(): string {
    return locksFolder(this.#path);
  }

  /** Before the worker is registered: a registered worker whose lock is free is dead. Throws the error of the system, or of SQLite. */
  hold(workerId: string): void {
    if (this.#held.has(workerId)) return;
    mkdirSync(this.folder, { recursive: true });
    this.#sweep();
    this.#held.set(workerId, locked(this.#file(workerId)));
  }

  /** Old files of killed workers that held nothing, so that nobody had to take anything over from them. */
  #sweep(): void {
    for (const name of readdirSync(this.folder)) {
      const workerId = name.replace(/\.lock$/, '');
      const age = Date.now() - (statSync(this.#file(workerId), { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > SWEEP_AGE_MS && this.isDead(workerId)) this.forget(workerId);
    }
  }

  /** Holds again what somebody has removed: without its file a living worker looks gone, or is not known. Throws as `hold` does. */
  keep(workerId: string): void {
    const before = this.#held.get(workerId);
    const file = this.#file(workerId);
    if (before === undefined || existsSync(file)) return;
    mkdirSync(this.folder, { recursive: true });
    // It gets its name when it is locked: the worker is known by now, and would be dead with a free one.
    const unnamed = `${file}.new`;
    const again = locked(unnamed);
    renameSync(unnamed, file);
    this.#held.set(workerId, again);
    before.close();
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

  /** The file of a worker that is gone. Where it cannot be removed it stays: free, it does no harm. */
  forget(workerId: string): void {
    removed(this.#file(workerId));
  }

  /** Of a worker that was not forgotten, because the database could not be written, the free lock stays: it says that it is gone. */
  close(): void {
    for (const db of this.#held.values()) db.close();
    this.#held.clear();
  }

  #file(workerId: string): string {
    return lockFile(this.#path, workerId);
  }
}

/** Leaves no new file behind that is not locked. */
function locked(file: string): Database {
  const isNew = !existsSync(file);
  const db = new BetterSqlite3(file, { timeout: LOOK_MS });
  try {
    db.exec('BEGIN EXCLUSIVE');
    return db;
  } catch (error) {
    db.close();
    if (isNew) removed(file);
    throw error;
  }
}

function removed(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
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
    if (error instanceof BetterSqlite3.SqliteError) return false;
    throw error;
  } finally {
    db?.close();
  }
}
