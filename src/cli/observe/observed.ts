import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { Observation } from './observation.ts';
import type { ObserveOptions } from './observe-options.ts';
import type { Observer, Tell } from './observer.ts';
import { wantsTraces } from './trace-observer.ts';

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
  const observation = new Observation(io, observers);
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

type Opening = { readonly options: ObserveOptions; readonly observers: Observer[]; readonly tell: Tell };

/** The log first, so that it holds why another could not be opened. */
async function openAll(io: CliIo, globals: Globals, { options, observers, tell }: Opening): Promise<void> {
  const { logFile, metrics, tags = [] } = options;
  if (logFile !== undefined) {
    const { logObserver } = await import('./log-observer.ts');
    observers.push(logObserver(io, { ...options, logFile }, tell));
  }
  if (metrics !== undefined) {
    const { metricsObserver } = await import('./metrics-observer.ts');
    const observer = await metricsObserver(io, metrics, tags);
    observers.push(observer);
    if (!globals.quiet) io.stderr.write(`Metrics at ${observer.url}/metrics\n`);
  }
  if (wantsTraces(io)) {
    const { traceObserver } = await import('./trace-observer.ts');
    observers.push(await traceObserver(io, tell));
  }
}
