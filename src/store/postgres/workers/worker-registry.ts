import { Heartbeat } from '../../heartbeat.ts';
import type { LeaseWatch, OwnBeat } from '../../lease-watch.ts';
import type { NewWorker } from '../../plan-rows.ts';
import { NO_LOCKS, workerLocks } from '../locks.ts';
import type { SpoolLocks } from '../spool/spool-locks.ts';
import { type HeldLease, leases } from '../steps/reap.ts';
import type { Transactor, Tx, View } from '../transactor.ts';
import { keepWatched } from './watched-leases.ts';
import { registerWorker, removeWorker } from './workers.ts';

export type WorkerOptions = {
  readonly location: string;
  readonly watch: LeaseWatch;
  readonly locks: SpoolLocks;
  /** Compiled `heartbeat-thread`; `null` when nothing renews leases (tests with a clock of their own). */
  readonly thread: URL | null;
  readonly onHeartbeatLost: (error: Error) => void;
};

const TICK_MS = 1000;

/**
 * The workers of this process, and what it has seen of all leases. No lock proves that a process on another machine lives: a lease is taken
 * when it has run out by the server's clock and was watched unrenewed for as long as it lasts, by this process or by others before it.
 */
export class WorkerRegistry {
  readonly #transactor: Transactor;
  readonly #options: WorkerOptions;
  readonly #own = new Map<string, NewWorker>();
  readonly #heartbeats = new Map<string, Heartbeat>();
  #ticker: NodeJS.Timeout | undefined;
  #looking = false;
  #alsoLook: () => Promise<void> = () => Promise.resolve();

  constructor(transactor: Transactor, options: WorkerOptions) {
    this.#transactor = transactor;
    this.#options = options;
  }

  get watch(): LeaseWatch {
    return this.#options.watch;
  }

  /** With each look at the leases from now on. */
  alsoLook(look: () => Promise<void>): void {
    this.#alsoLook = look;
  }

  async register(worker: NewWorker): Promise<void> {
    await this.#transactor.write(NO_LOCKS, (tx) => registerWorker(tx, worker));
    const { workerId } = worker;
    this.#own.set(workerId, worker);
    const { thread, location, onHeartbeatLost } = this.#options;
    if (thread === null || this.#heartbeats.has(workerId)) return;
    this.#heartbeats.set(workerId, new Heartbeat(thread, { workerId, store: { location } }, onHeartbeatLost));
    this.#startTicking();
  }

  async remove(workerId: string): Promise<void> {
    await this.#transactor.write(workerLocks(workerId), (tx) => removeWorker(tx, workerId));
    this.#own.delete(workerId);
    const heartbeat = this.#heartbeats.get(workerId);
    this.#heartbeats.delete(workerId);
    if (this.#heartbeats.size === 0) clearInterval(this.#ticker);
    await heartbeat?.stop();
  }

  /** Within a claim: a worker of this process that was taken for dead is there again. */
  registerAgain(tx: Tx, workerId: string): void {
    const worker = this.#own.get(workerId);
    if (worker !== undefined) registerWorker(tx, worker);
  }

  /** The worker now holds a lease that wants a beat every `beatMs`. */
  expectBeats(workerId: string, beatMs: number): void {
    this.#heartbeats.get(workerId)?.expect(beatMs);
  }

  /** Nothing new may start, no claim and no call, once leases are not renewed. */
  throwIfLost(): void {
    for (const heartbeat of this.#heartbeats.values()) heartbeat.throwIfLost((cause) => cause);
  }

  /** Before the connections are closed. */
  async stopHeartbeats(): Promise<void> {
    clearInterval(this.#ticker);
    const heartbeats = [...this.#heartbeats.values()];
    this.#heartbeats.clear();
    await Promise.all(heartbeats.map((heartbeat) => heartbeat.stop()));
  }

  /** Watches the leases from now on, also while this process has no free slot to claim for, so that a frozen worker's time runs all along. */
  #startTicking(): void {
    clearInterval(this.#ticker);
    this.#ticker = setInterval(() => this.#tick(), TICK_MS);
    this.#ticker.unref();
    this.#tick();
  }

  #tick(): void {
    // A server that is away is not waited for by more and more looks.
    if (this.#looking) return;
    this.#looking = true;
    this.#look()
      .catch(() => {
        // The next claim meets the same error, and tells it; not to have looked only delays a takeover.
      })
      .finally(() => {
        this.#looking = false;
      });
  }

  async #look(): Promise<void> {
    await this.#options.locks.keep(this.#own.keys());
    const seen = await this.#transactor.read((view) => this.#watchLeases(view));
    await keepWatched(this.#transactor, seen.held, { nowMs: seen.nowMs, watch: this.#options.watch });
    await this.#alsoLook();
  }

  /** While the server could not be asked nobody could renew: the watch takes the silence for one of its own, and starts anew. */
  async #watchLeases(view: View): Promise<{ readonly held: readonly HeldLease[]; readonly nowMs: number }> {
    const [beats, held] = await Promise.all([this.#ownBeats(view), leases(view.sql)]);
    const { watch } = this.#options;
    watch.tick();
    watch.noteOwnBeats(beats);
    watch.note(held);
    return { held, nowMs: view.nowMs };
  }

  async #ownBeats({ sql }: View): Promise<readonly OwnBeat[]> {
    const rows = await sql.all<{ workerId: string; beatAtMs: number }>(BEATS, { workerIds: [...this.#heartbeats.keys()] });
    return rows.flatMap((row) => {
      const heartbeat = this.#heartbeats.get(row.workerId);
      return heartbeat === undefined ? [] : [{ ...row, beatMs: heartbeat.beatMs }];
    });
  }
}

const BEATS = `SELECT worker_id, beat_at_ms FROM workers WHERE worker_id = ANY (:workerIds::text[])`;
