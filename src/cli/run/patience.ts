import type { WorkerOptions } from '../commands/options.ts';

/** A restart of the store's server, a failover or a network that breaks take less; whoever waits for the command learns of what takes longer. */
export const RUN_PATIENCE_MS = 10 * 60_000;

/** A worker stays for whatever comes; one that leaves when nothing is to do waits no longer than a run. */
export function workerPatience({ exitWhenIdle }: Pick<WorkerOptions, 'exitWhenIdle'>): number {
  return exitWhenIdle === true ? RUN_PATIENCE_MS : Number.POSITIVE_INFINITY;
}
