import { Worker } from 'node:worker_threads';

/** What the thread is started with. */
export type HeartbeatData = {
  readonly path: string;
  readonly workerId: string;
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
  #beatMs = Number.MAX_SAFE_INTEGER;
  #stopped = false;
  #lost: Error | null = null;

  constructor(thread: URL, data: Omit<HeartbeatData, 'mainIsDeadMs'>, onLost: (error: Error) => void) {
    this.#thread = new Worker(thread, { workerData: { ...data, mainIsDeadMs: MAIN_IS_DEAD_MS } });
    this.#thread.unref();
    this.#thread.once('error', (error) => this.#lose(onLost, error));
    this.#thread.once('exit', (code) => this.#lose(onLost, new Error(`The heartbeat thread ended with code ${code}`)));
    this.#ticker = setInterval(() => this.#tick(), TICK_MS);
    this.#ticker.unref();
  }

  /** The worker now holds a lease that wants a beat every `beatMs`; the shortest wish holds. */
  expect(beatMs: number): void {
    if (beatMs >= this.#beatMs) return;
    this.#beatMs = beatMs;
    this.#tick();
  }

  /** A worker whose leases nobody renews must take no more work. */
  throwIfLost(): void {
    if (this.#lost !== null) throw new Error('Leases are no longer renewed', { cause: this.#lost });
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
    this.#lost = cause instanceof Error ? cause : new Error(String(cause));
    onLost(this.#lost);
  }
}
