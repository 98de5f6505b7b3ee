import type { NewWorker } from '../store/plan-rows.ts';
import type { Store } from '../store/store.ts';

/**
 * Does `work` as a registered worker, which then gives back what it holds. When the work failed its error is the one to tell: a broken
 * storage refuses the goodbye as well, and leases that are not given back run out.
 */
export async function asWorker<End>(
  store: Pick<Store, 'registerWorker' | 'removeWorker'>,
  worker: NewWorker,
  work: () => Promise<End>,
): Promise<End> {
  await store.registerWorker(worker);
  let end: End;
  try {
    end = await work();
  } catch (error) {
    await store.removeWorker(worker.workerId).catch(() => undefined);
    throw error;
  }
  await store.removeWorker(worker.workerId);
  return end;
}
