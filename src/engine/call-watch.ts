import type { Store } from '../store/store.ts';

const POLL_MS = 1000;

/** Running calls of this process. A person may want them ended from any other, so the store is asked while there are some. */
export class CallWatch {
  readonly #store: Pick<Store, 'leasesToEnd'>;
  readonly #workerId: string;
  readonly #calls = new Map<string, AbortController>();
  #timer: NodeJS.Timeout | undefined;
  #asking = false;
  #lost: { readonly error: unknown } | null = null;

  constructor(store: Pick<Store, 'leasesToEnd'>, workerId: string) {
    this.#store = store;
    this.#workerId = workerId;
  }

  /** A signal of the call's own, aborted when it is to end. Throws while the last question could not be answered. */
  begin(token: string): AbortSignal {
    if (this.#lost !== null) throw this.#lost.error;
    const controller = new AbortController();
    this.#calls.set(token, controller);
    this.#askLater();
    return controller.signal;
  }

  /** The call is over. */
  end(token: string): void {
    this.#calls.delete(token);
    if (this.#calls.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #askLater(): void {
    if (this.#timer !== undefined || this.#asking || this.#calls.size === 0) return;
    this.#timer = setTimeout(() => void this.#ask(), POLL_MS);
  }

  async #ask(): Promise<void> {
    this.#timer = undefined;
    this.#asking = true;
    try {
      for (const token of await this.#store.leasesToEnd(this.#workerId)) this.#calls.get(token)?.abort();
      this.#lost = null;
    } catch (error) {
      // The calls in flight are paid and go on, and may still be to end; the next one does not begin.
      this.#lost = { error };
    } finally {
      this.#asking = false;
    }
    this.#askLater();
  }
}
