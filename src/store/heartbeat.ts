import { Worker } from 'node:worker_threads';
import { SLOWEST_BEAT_MS } from '../domain/lease.ts';

/** What every thread is started with, besides what leads to its store. */
export type HeartbeatData = {
  readonly workerId: string;
  /** By the wall clock; the thread's own monotonic clock starts at 0 then. */
  readonly startedAtMs: number;
  /** A main loop that is silent for longer does no work: its leases may run out until it speaks again. */
  readonly mainIsDeadMs: number;
};

/** A sign of life of the main loop, and how often the leases want to be renewed. */
export type HeartbeatMessage = { readonly beatMs: number };

const TICK_MS = 1000;
const MAIN_IS_DEAD_MS = 5 * 60_000;

/**
 * The thread that renews a worker's leases, seen from the main loop. It does not keep the process alive. If it dies, `onLost` is
 * called once, and every later claim is refused: leases will run out, so the worker must stop.
 */
export class Heartbeat {
  readonly #thread: Worker;
  readonly #ticker: NodeJS.Timeout;
  #beatMs = SLOWEST_BEAT_MS;
  #stopped = false;
  #lost: unknown = null;

  /** `store`: what leads the thread to the store. */
  constructor(thread: URL, worker: { readonly workerId: string; readonly store: object }, onLost: (error: Error) => void) {
    const { workerId, store } = worker;
    const data: HeartbeatData = { workerId, startedAtMs: Date.now(), mainIsDeadMs: MAIN_IS_DEAD_MS };
    this.#thread = new Worker(thread, { workerData: { ...store, ...data } });
    this.#thread.unref();
    this.#thread.once('error', (error) => this.#lose(onLost, error));
    this.#thread.once('exit', (code) => this.#lose(onLost, new Error(`The heartbeat thread ended with code ${code}`)));
    this.#ticker = setInterval(() => this.#tick(), TICK_MS);
    this.#ticker.unref();
  }

  /** How often it beats now. */
  get beatMs(): number {
    return this.#beatMs;
  }

  /** The worker now holds a lease that wants a beat every `beatMs`; the shortest wish holds. */
  expect(beatMs: number): void {
    if (beatMs >= this.#beatMs) return;
    this.#beatMs = beatMs;
    this.#tick();
  }

  /** A worker whose leases nobody renews must start nothing more. Throws what `explain` makes of the end of the thread, where that says more. */
  throwIfLost(explain: (cause: unknown) => unknown): void {
    if (this.#lost === null) return;
    const refusal = explain(this.#lost);
    throw refusal === this.#lost ? new Error('Leases are no longer renewed', { cause: this.#lost }) : refusal;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#ticker);
    await this.#thread.terminate();
  }

  #tick(): void {
    const message: HeartbeatMessage = { beatMs: this.#beatMs };
    this.#thread.postMessage(message);
  }

  #lose(onLost: (error: Error) => void, cause: unknown): void {
    if (this.#stopped) return;
    this.#stopped = true;
    clearInterval(this.#ticker);
    this.#lost = cause;
    onLost(cause instanceof Error ? cause : new Error(String(cause)));
  }
}
