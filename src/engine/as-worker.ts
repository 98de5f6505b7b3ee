import type { NewWorker } from '../store/plan-rows.ts';
import type { Store } from '../store/store.ts';

type Workers = Pick<Store, 'registerWorker' | 'removeWorker'>;

/**
 * Does `work` as a registered worker, which then gives back what it holds. When the work failed its error is the one to tell: a broken
 * storage refuses the goodbye as well, and leases that are not given back run out.
 */
export async function asWorker<End>(store: Workers, worker: NewWorker, work: () => Promise<End>): Promise<End> {
  const end = await asLeavingWorker(store, worker, work);
  await store.removeWorker(worker.workerId);
  return end;
}

/** The same of work that itself ends with the worker's goodbye: said here only when the work failed. */
export async function asLeavingWorker<End>(store: Workers, worker: NewWorker, work: () => Promise<End>): Promise<End> {
  await store.registerWorker(worker);
  try {
    return await work();
  } catch (error) {
    await store.removeWorker(worker.workerId).catch(() => undefined);
    throw error;
  }
}
