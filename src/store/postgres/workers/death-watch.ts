import { runsLocks } from '../locks.ts';
import type { SpoolLocks } from '../spool/spool-locks.ts';
import { reapWorker } from '../steps/reap.ts';
import type { Transactor, Tx } from '../transactor.ts';
import { hintAtWork } from '../work-hint.ts';

/** Between two looks: a look opens a file for each worker of this machine that holds a lease. */
const LOOK_EVERY_MS = 1000;

const HOLDERS = `
SELECT w.worker_id, array_agg(DISTINCT s.run_id) AS run_ids FROM workers w JOIN steps s ON s.lease_owner = w.worker_id AND s.state = 'running'
WHERE w.host_id = :hostId GROUP BY w.worker_id ORDER BY w.worker_id`;

type Holder = { readonly workerId: string; readonly runIds: readonly string[] };

export type DeathWatchOptions = {
  readonly transactor: Transactor;
  readonly locks: SpoolLocks;
  /** This boot of this machine; `null`: of no worker it is known that it is of this one. */
  readonly hostId: string | null;
  /** Gives the server what a dead worker had paid for; false where something of it stays. */
  readonly takeIn: (workerId: string) => Promise<boolean>;
  /** Milliseconds from any start; never goes back. */
  readonly monotonic: () => number;
};

/**
 * Takes the work of a worker at once that died on this machine, instead of when its leases run out. It is asked for by its machine first:
 * a lock says nothing of a process that another kernel runs, though both see its file.
 */
export class DeathWatch {
  readonly #options: DeathWatchOptions;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;

  constructor(options: DeathWatchOptions) {
    this.#options = options;
  }

  /** Looks, unless that was done just now; whoever asks meanwhile waits for what comes of it. */
  look(): Promise<void> {
    const { hostId, monotonic } = this.#options;
    if (this.#looking !== null) return this.#looking;
    if (hostId === null || monotonic() - this.#lookedAtMs < LOOK_EVERY_MS) return Promise.resolve();
    this.#lookedAtMs = monotonic();
    this.#looking = this.#buryDead(hostId).finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #buryDead(hostId: string): Promise<void> {
    const { transactor, locks } = this.#options;
    for (const holder of await transactor.read(({ sql }) => sql.all<Holder>(HOLDERS, { hostId }))) {
      if ((await locks.fate(holder.workerId)) === 'dead') await this.#bury(holder);
    }
  }

  /** What it had paid for comes first, or it would be asked again. What cannot be taken in yet is waited for as long as its lease lasts. */
  async #bury({ workerId, runIds }: Holder): Promise<void> {
    const { transactor, locks, takeIn } = this.#options;
    if (!(await takeIn(workerId))) return;
    const isGone = await transactor.write(runsLocks(runIds), (tx) => bury(tx, workerId, runIds));
    if (isGone) await locks.forget(workerId);
  }
}

// One that got a lease meanwhile, by what it had asked for just before it died, is looked at again.
const FORGET = `
DELETE FROM workers WHERE worker_id = :workerId
  AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.lease_owner = :workerId AND s.state = 'running')`;

/** Its leases are taken back by the rules for a death. */
async function bury(tx: Tx, workerId: string, runIds: readonly string[]): Promise<boolean> {
  await reapWorker(tx, workerId, runIds);
  hintAtWork(tx);
  return (await tx.sql.run(FORGET, { workerId })) === 1;
}
