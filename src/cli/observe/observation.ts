import type { ServerPatience } from '../../store/server-news.ts';
import type { Store } from '../../store/store.ts';
import type { Display } from '../display/display.ts';
import type { CliIo } from '../io.ts';
import type { Observer } from './observer.ts';
import { serverWords } from './server-words.ts';

/** A command at work as log, metrics and traces see it: passes everything on to them, and none can stop the work or another. */
export class Observation {
  readonly #stderr: CliIo['stderr'];
  readonly #observers: readonly Observer[];
  readonly #runIds = new Set<string>();
  /** While there is one: it draws on stderr. */
  #display: Display | null = null;
  #isBroken = false;

  constructor({ stderr }: Pick<CliIo, 'stderr'>, observers: readonly Observer[]) {
    this.#stderr = stderr;
    this.#observers = observers;
  }

  /** Tells a person what an observer could not do, or what the work waits for. */
  tell(message: string): void {
    if (this.#display === null) this.#stderr.write(`warning: ${message}\n`);
    else this.#display.onEvent({ kind: 'warning', message });
  }

  readonly onLockRetry = (): void => this.#each((observer) => observer.onLockRetry?.());

  /** Work that waits so long for the store's server, and says so. */
  waiting(patienceMs: number): ServerPatience {
    return { patienceMs, onServer: (news) => this.tell(serverWords(news)) };
  }

  /**
   * The display, which from now on they hear as well. They watch the runs that it is told to be started (`told`), or every unfinished one of
   * the store (`all`).
   */
  display(display: Display, store: Store, runs: 'told' | 'all'): Display {
    this.#display = display;
    const close = (): void => {
      this.#display = null;
      display.close();
    };
    if (this.#observers.length === 0) return { ...display, close };
    this.#each((observer) => observer.onStore?.(store, runs === 'all' ? runs : this.#runIds));
    return {
      ...display,
      onEvent: (event) => {
        if (event.kind === 'run.started') this.#runIds.add(event.runId);
        display.onEvent(event);
        this.#each((observer) => observer.onEvent?.(event));
      },
      onFinished: (outcome) => {
        display.onFinished(outcome);
        this.#each((observer) => observer.onFinished?.(outcome));
      },
      onWork: (news) => this.#each((observer) => observer.onWork?.(news)),
      close,
    };
  }

  /** Calls are paid for: a fault of whoever only watches must not end them. */
  #each(hear: (observer: Observer) => void): void {
    for (const observer of this.#observers) {
      try {
        hear(observer);
      } catch (error) {
        const name = error instanceof Error ? error.name : typeof error;
        if (!this.#isBroken) this.tell(`what watches this work has a fault (${name}); please report it`);
        this.#isBroken = true;
      }
    }
  }
}
