import type { Store } from '../../store/store.ts';
import type { Display } from '../display/display.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import type { ObserveOptions } from './observe-options.ts';
import type { Observer } from './observer.ts';
import { wantsTraces } from './trace-observer.ts';

/** A command at work as log, metrics and traces see it. */
export type Observation = {
  readonly onLockRetry: () => void;
  /**
   * The display, which from now on they hear as well. They watch the runs that it is told to be started (`told`), or every unfinished one of
   * the store (`all`).
   */
  display(display: Display, store: Store, runs: 'told' | 'all'): Display;
};

/**
 * Does the work of a command while it is watched in the ways that its options and the environment ask for. What stands in their way is an
 * error before the work begins; each is loaded only when it is asked for.
 */
export async function observed(
  io: CliIo,
  globals: Globals,
  options: ObserveOptions,
  work: (observation: Observation) => Promise<number>,
): Promise<number> {
  const observers: Observer[] = [];
  const observation = new Observing(io, observers);
  try {
    await openAll(io, globals, { options, observers, tell: (message) => observation.tell(message) });
    return await work(observation);
  } catch (error) {
    for (const observer of observers) observer.onError?.(error);
    throw error;
  } finally {
    for (const observer of observers) await observer.close();
  }
}

type Opening = { readonly options: ObserveOptions; readonly observers: Observer[]; readonly tell: (message: string) => void };

/** The log first, so that it holds why another could not be opened. */
async function openAll(io: CliIo, globals: Globals, { options, observers, tell }: Opening): Promise<void> {
  const { logFile, metrics } = options;
  if (logFile !== undefined) {
    const { logObserver } = await import('./log-observer.ts');
    observers.push(logObserver(io, { ...options, logFile }, tell));
  }
  if (metrics !== undefined) {
    const { metricsObserver } = await import('./metrics-observer.ts');
    const observer = await metricsObserver(io, metrics);
    observers.push(observer);
    if (!globals.quiet) io.stderr.write(`Metrics at ${observer.url}/metrics\n`);
  }
  if (wantsTraces(io)) {
    const { traceObserver } = await import('./trace-observer.ts');
    observers.push(await traceObserver(io, tell));
  }
}

class Observing implements Observation {
  readonly #stderr: CliIo['stderr'];
  readonly #observers: readonly Observer[];
  readonly #runIds = new Set<string>();
  /** While there is one: it draws on stderr. */
  #display: Display | null = null;

  constructor({ stderr }: CliIo, observers: readonly Observer[]) {
    this.#stderr = stderr;
    this.#observers = observers;
  }

  tell(message: string): void {
    if (this.#display === null) this.#stderr.write(`warning: ${message}\n`);
    else this.#display.onEvent({ kind: 'warning', message });
  }

  readonly onLockRetry = (): void => {
    for (const observer of this.#observers) observer.onLockRetry?.();
  };

  display(display: Display, store: Store, runs: 'told' | 'all'): Display {
    const observers = this.#observers;
    if (observers.length === 0) return display;
    for (const observer of observers) observer.onStore?.(store, runs === 'all' ? runs : this.#runIds);
    this.#display = display;
    return {
      ...display,
      onEvent: (event) => {
        if (event.kind === 'run.started') this.#runIds.add(event.runId);
        display.onEvent(event);
        for (const observer of observers) observer.onEvent?.(event);
      },
      onFinished: (outcome) => {
        display.onFinished(outcome);
        for (const observer of observers) observer.onFinished?.(outcome);
      },
      onWork: (news) => {
        for (const observer of observers) observer.onWork?.(news);
      },
      close: () => {
        this.#display = null;
        display.close();
      },
    };
  }
}
