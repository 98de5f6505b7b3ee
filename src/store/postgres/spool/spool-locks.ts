import { join } from 'node:path';
import { ensurePrivateFolder } from '../../spool/spool-folder.ts';
import type { SpoolPlaces } from '../../spool/spool-intake.ts';
import type { Liveness } from '../../sqlite/workers/liveness.ts';

/**
 * Proof, on this machine and without the server, that the process of a worker lives: a lock beside the files of its paid answers, which the
 * kernel frees at its death. What the server says of a worker is no proof: while it was away nobody could tell it anything.
 */
export class SpoolLocks {
  readonly #places: SpoolPlaces;
  #all: Promise<readonly Liveness[]> | null = null;

  constructor(places: SpoolPlaces) {
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

  async isAlive(workerId: string): Promise<boolean> {
    return (await this.#livenesses()).some((liveness) => liveness.isAlive(workerId));
  }

  /** After its files are gone, or are left. */
  async release(workerId: string): Promise<void> {
    for (const liveness of await this.#held()) liveness.release(workerId);
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
    this.#all ??= import('../../sqlite/workers/liveness.ts').then(({ Liveness }) =>
      folders.map((folder) => new Liveness(join(folder, storeId))),
    );
    return this.#all;
  }
}
