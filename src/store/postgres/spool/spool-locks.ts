import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileSystemOf, THIS_MACHINE } from '../../machine/file-system-here.ts';
import type { Liveness } from '../../machine/liveness.ts';
import { lockFile } from '../../machine/lock-file.ts';
import { ensurePrivateFolder, isPrivateFolder } from '../../spool/spool-folder.ts';
import type { SpoolPlaces } from '../../spool/spool-intake.ts';

/** What a lock says of a worker's process; `unknown`: there is none that could be asked, or none that is to be trusted. */
export type Fate = 'alive' | 'dead' | 'unknown';

type LockPlaces = Pick<SpoolPlaces, 'storeId' | 'folders' | 'userId'>;

/**
 * Proof, on this machine and without the server, that the process of a worker lives: a lock beside the files of its paid answers, which the
 * kernel frees at its death. What the server says of a worker is no proof: while it was away nobody could tell it anything.
 */
export class SpoolLocks {
  readonly #places: LockPlaces;
  #all: Promise<readonly Liveness[]> | null = null;

  constructor(places: LockPlaces) {
    this.#places = places;
  }

  /** Before the worker keeps anything. Where no folder can be written it keeps nothing either, which it is told when it makes room. */
  async hold(workerId: string): Promise<void> {
    const { folders, userId } = this.#places;
    for (const [at, liveness] of (await this.#livenesses()).entries()) {
      try {
        ensurePrivateFolder(folders[at] ?? '', userId);
        liveness.hold(workerId);
        return;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error)) throw error;
      }
    }
  }

  /** Those that somebody has removed; where they cannot be had again, nothing is known of their workers. */
  async keep(workerIds: Iterable<string>): Promise<void> {
    for (const liveness of await this.#held()) {
      for (const workerId of workerIds) {
        try {
          liveness.keep(workerId);
        } catch (error) {
          if (!(error instanceof Error && 'code' in error)) throw error;
        }
      }
    }
  }

  async isAlive(workerId: string): Promise<boolean> {
    return (await this.#livenesses()).some((liveness) => liveness.isAlive(workerId));
  }

  /**
   * Of a worker that runs on this boot of this machine. Dead is only whose lock is provably free: in a folder of this user alone, where
   * nobody else can lay a free one, on a disk of this machine, because over a network locks can be lost, and held in no other folder.
   */
  async fate(workerId: string): Promise<Fate> {
    const { folders, storeId, userId } = this.#places;
    const present = [...folders.entries()].filter(
      ([, folder]) => existsSync(lockFile(join(folder, storeId), workerId)) && isPrivateFolder(folder, userId),
    );
    // The driver is not needed where there is nothing to ask.
    if (present.length === 0) return 'unknown';
    const livenesses = await this.#livenesses();
    if (present.some(([at]) => livenesses[at]?.isAlive(workerId) === true)) return 'alive';
    const isDead = present.every(([at, folder]) => livenesses[at]?.isDead(workerId) === true && isOnThisMachine(folder));
    return isDead ? 'dead' : 'unknown';
  }

  /** After its files are gone, or are left, and it is not registered any more: a free lock of a registered worker says that it died. */
  async release(workerId: string): Promise<void> {
    for (const liveness of await this.#held()) liveness.release(workerId);
  }

  /** The files of a worker that died. */
  async forget(workerId: string): Promise<void> {
    const { folders, userId } = this.#places;
    for (const [at, liveness] of (await this.#livenesses()).entries()) {
      if (isPrivateFolder(folders[at] ?? '', userId)) liveness.forget(workerId);
    }
  }

  async close(): Promise<void> {
    for (const liveness of await this.#held()) liveness.close();
  }

  async #held(): Promise<readonly Liveness[]> {
    return (await this.#all) ?? [];
  }

  /** The lock is SQLite's own, whose driver most commands on a server do not need. */
  #livenesses(): Promise<readonly Liveness[]> {
    const { folders, storeId } = this.#places;
    this.#all ??= import('../../machine/liveness.ts').then(({ Liveness }) => folders.map((folder) => new Liveness(join(folder, storeId))));
    return this.#all;
  }
}

function isOnThisMachine(folder: string): boolean {
  try {
    return fileSystemOf(realpathSync(folder), THIS_MACHINE).kind === 'local';
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}
