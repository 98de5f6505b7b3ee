import type { LeaseWatch } from '../../lease-watch.ts';
import type { NewWorker } from '../../plan-rows.ts';
import { NO_LOCKS, workerLocks } from '../locks.ts';
import type { Transactor, Tx } from '../transactor.ts';
import { keepRegistered, registerWorker, removeWorker } from './workers.ts';

/** The workers of this process, and what it has seen of all leases. */
export class WorkerRegistry {
  readonly #transactor: Transactor;
  readonly #own = new Map<string, NewWorker>();
  readonly watch: LeaseWatch;

  constructor(transactor: Transactor, watch: LeaseWatch) {
    this.#transactor = transactor;
    this.watch = watch;
  }

  async register(worker: NewWorker): Promise<void> {
    await this.#transactor.write(NO_LOCKS, (tx) => registerWorker(tx, worker));
    this.#own.set(worker.workerId, worker);
  }

  async remove(workerId: string): Promise<void> {
    await this.#transactor.write(workerLocks(workerId), (tx) => removeWorker(tx, workerId));
    this.#own.delete(workerId);
  }

  /** Within a claim: a worker of this process that was taken for dead is there again. */
  async keepRegistered(tx: Tx, workerId: string): Promise<void> {
    const worker = this.#own.get(workerId);
    if (worker !== undefined) await keepRegistered(tx, worker);
  }

  /** The worker now holds a lease that wants a beat every `beatMs`. */
  expectBeats(_workerId: string, _beatMs: number): void {}

  /** Nothing new may start, no claim and no call, once leases are not renewed. */
  throwIfLost(): void {}

  async stopHeartbeats(): Promise<void> {}
}
