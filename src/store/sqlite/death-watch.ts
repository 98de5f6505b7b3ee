import type { NewWorker } from '../plan-rows.ts';
import type { Liveness } from './liveness.ts';
import { reapExpired } from './reap.ts';
import type { Transactor, Tx } from './transactor.ts';
import { workers } from './workers.ts';

/** Between two looks: a look opens a file for each worker of this machine that holds a lease. */
const LOOK_EVERY_MS = 1000;

const END_LEASES = `UPDATE steps SET lease_expires_at_ms = :nowMs WHERE lease_owner = :workerId AND state = 'running'`;
const STOP_BEATING = `UPDATE workers SET beat_at_ms = 0 WHERE worker_id = :workerId`;
const FORGET = `DELETE FROM workers WHERE worker_id = :workerId`;

/** Takes the work of a worker that is provably dead at once, instead of when its leases run out. */
export class DeathWatch {
  readonly #transactor: Transactor;
  readonly #liveness: Liveness;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(transactor: Transactor, liveness: Liveness) {
    this.#transactor = transactor;
    this.#liveness = liveness;
  }

  /** Looks at the workers of the same boot of the same machine; of others nothing can be known. */
  async look(watcher: NewWorker): Promise<void> {
    if (performance.now() - this.#lookedAtMs < LOOK_EVERY_MS) return;
    this.#lookedAtMs = performance.now();
    for (const { workerId, hostId, running } of await this.#transactor.read(({ sql }) => workers(sql))) {
      if (workerId === watcher.workerId || hostId !== watcher.hostId || running === 0) continue;
      if (this.#liveness.isDead(workerId)) await this.#bury(workerId);
    }
  }

  async #bury(workerId: string): Promise<void> {
    await this.#transactor.write((tx) => bury(tx, workerId));
    this.#liveness.forget(workerId);
  }
}

/** Its leases end now, and are taken back by the rules for a death. */
function bury(tx: Tx, workerId: string): void {
  tx.sql.run(END_LEASES, { workerId, nowMs: tx.nowMs });
  tx.sql.run(STOP_BEATING, { workerId });
  reapExpired(tx, null);
  tx.sql.run(FORGET, { workerId });
}
