import Bottleneck from 'bottleneck';
import type { Completion, CompletionRequest } from '../domain/completion.ts';
import { ProviderError } from '../domain/errors.ts';

/** The part of a provider that the gate stands before; what it tells its listener is none of the gate's business. */
type Caller = { complete(request: CompletionRequest, signal: AbortSignal, listener?: unknown): Promise<Completion> };

/**
 * The provider with at most `concurrency` calls at once leaving this process, whatever else fails. The store grants no more than that,
 * so that normally nothing waits here; what waits has none of its timers running, and ends at once when `signal` aborts. All but
 * `complete` passes.
 */
export function gated<Gated extends Caller>(inner: Gated, concurrency: number): Gated {
  const places = new Places(concurrency);
  const complete: Caller['complete'] = async (request, signal, listener) => {
    await places.take(signal);
    try {
      return await inner.complete(request, signal, listener);
    } finally {
      places.giveBack();
    }
  };
  return { ...inner, complete };
}

/**
 * Each place is a job of a Bottleneck with a plain `maxConcurrent`: its refills and changes of settings lose jobs (bottleneck#185). It
 * takes 2.4 ms to start one, one after the other, which is 400 calls a second; so a place stays, and calls hand it on to each other.
 */
class Places {
  readonly #limiter: Bottleneck;
  readonly #waiting = new Set<() => void>();
  #idle = 0;

  constructor(concurrency: number) {
    this.#limiter = new Bottleneck({ maxConcurrent: concurrency });
  }

  async take(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw cancelled();
    if (this.#idle > 0) this.#idle -= 1;
    else await this.#turn(signal);
  }

  giveBack(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#idle += 1;
    else next();
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(begin);
        reject(cancelled());
      };
      const begin = (): void => {
        this.#waiting.delete(begin);
        signal.removeEventListener('abort', leave);
        resolve();
      };
      signal.addEventListener('abort', leave);
      this.#waiting.add(begin);
      this.#askForPlace();
    });
  }

  /** When there are as many as there may be, the job asked for last waits for ever. */
  #askForPlace(): void {
    if (!this.#limiter.empty()) return;
    const kept = (): Promise<never> =>
      new Promise(() => {
        this.giveBack();
        if (this.#waiting.size > 0) this.#askForPlace();
      });
    void this.#limiter.schedule(kept);
  }
}

function cancelled(): ProviderError {
  const message = 'the call was ended before it was sent';
  return new ProviderError({ class: 'transient', reason: 'cancelled', message }, { sent: false });
}
