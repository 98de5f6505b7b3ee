import type { Liveness } from '../../machine/liveness.ts';
import type { NewWorker } from '../../plan-rows.ts';
import { refusal } from '../sqlite-errors.ts';
import { reapWorker } from '../steps/reap.ts';
import type { Transactor, Tx } from '../transactor.ts';
import type { HostWatch } from './host-watch.ts';
import { type RegisteredWorker, workers } from './workers.ts';

/** Between two looks: a look opens a file for each worker of this machine that holds a lease, or may plan. */
const LOOK_EVERY_MS = 1000;
const FIRST_LOOKS_EVERY_MS = 500;

const STOP_BEATING = `UPDATE workers SET beat_at_ms = 0 WHERE worker_id = :workerId`;
const FORGET = `DELETE FROM workers WHERE worker_id = :workerId`;

export type DeathWatchOptions = {
  readonly transactor: Transactor;
  readonly liveness: Liveness;
  readonly hosts: HostWatch;
  /** Milliseconds from any start; never goes back. */
  readonly monotonic: () => number;
  /** A worker of another host was here a moment ago: it takes up to 23 s to see whether it still is. */
  readonly onForeignHost: (hostname: string) => void;
};

/**
 * Takes the work of a worker that is provably dead at once, instead of when its leases run out; and sees to it that all living
 * workers are of one host, because SQLite's locks hold on one machine only.
 */
export class DeathWatch {
  readonly #options: DeathWatchOptions;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: DeathWatchOptions) {
    this.#options = options;
  }

  /** Resolves when no worker of another host lives. Throws `UserError` (exit 8) when one does. */
  async refuseSecondHost(watcher: NewWorker): Promise<void> {
    for (let told = false; ; told = true) {
      const unknown = (await this.#judgedForeigners(watcher)).find(({ fate }) => fate === 'unknown');
      if (unknown === undefined) return;
      if (!told) this.#options.onForeignHost(unknown.worker.hostname);
      await new Promise((resolve) => setTimeout(resolve, FIRST_LOOKS_EVERY_MS));
    }
  }

  /** Buries the dead that hold leases, or on whom the rest of a plan is waited for. Throws when a second host has appeared meanwhile. */
  async look(watcher: NewWorker): Promise<void> {
    const { transactor, liveness, monotonic } = this.#options;
    if (monotonic() - this.#lookedAtMs < LOOK_EVERY_MS) return;
    this.#lookedAtMs = monotonic();
    for (const { workerId, hostId, running, plans } of await transactor.read(({ sql }) => workers(sql))) {
      if (workerId === watcher.workerId || hostId !== watcher.hostId || (running === 0 && plans !== true)) continue;
      if (liveness.isDead(workerId)) await this.#bury(workerId);
    }
    for (const { worker, fate } of await this.#judgedForeigners(watcher)) if (fate === 'dead') await this.#bury(worker.workerId);
  }

  async #judgedForeigners(watcher: NewWorker): Promise<{ worker: RegisteredWorker; fate: 'dead' | 'unknown' }[]> {
    const { transactor, hosts } = this.#options;
    const { rows, nowMs } = await transactor.read((view) => ({ rows: workers(view.sql), nowMs: view.nowMs }));
    const foreign = rows.filter(({ hostId }) => hostId !== watcher.hostId);
    return foreign.map((worker) => {
      const fate = hosts.judge(worker, nowMs);
      if (fate === 'alive') throw secondHost(worker);
      return { worker, fate };
    });
  }

  async #bury(workerId: string): Promise<void> {
    await this.#options.transactor.write((tx) => bury(tx, workerId));
    this.#options.liveness.forget(workerId);
  }
}

/** Its leases are taken back by the rules for a death. */
function bury(tx: Tx, workerId: string): void {
  tx.sql.run(STOP_BEATING, { workerId });
  reapWorker(tx, workerId);
  tx.sql.run(FORGET, { workerId });
}

function secondHost({ hostname, pid }: RegisteredWorker): Error {
  return refusal(`this database is being worked on by another machine (${hostname}, pid ${pid}): one SQLite file serves one machine.`, [
    'stop the other one, or use a database of your own: --db .aieval/aieval.db',
    'or move up to a server, which serves several machines: aieval store copy .aieval/aieval.db postgres://user@host/database',
  ]);
}
