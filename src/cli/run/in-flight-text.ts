import type { WorkerRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { counted } from '../terminal/format.ts';

/** Workers of a run, and of all runs, that live. */
export async function livingWorkers(store: Pick<Store, 'workers'>, runId: string): Promise<readonly WorkerRow[]> {
  return (await store.workers()).filter((worker) => worker.alive && (worker.runId === null || worker.runId === runId));
}

/** Whether somebody lives who may hold what is in flight. */
export async function isWorkedOn(store: Pick<Store, 'workers'>, runId: string): Promise<boolean> {
  return (await livingWorkers(store, runId)).some(({ running }) => running > 0);
}

/** What becomes of jobs in flight that nobody ends. */
export function inFlightText(running: number, isWorkedOn: boolean): string {
  if (isWorkedOn) return `${counted(running, 'job')} in flight will finish and be kept.`;
  const [was, their] = running === 1 ? ['was', 'its'] : ['were', 'their'];
  return `${counted(running, 'job')} ${was} in flight when ${their} worker went: what was paid is kept, the rest may be billed.`;
}
