import type { Transactor, Tx } from '../transactor.ts';

const LONGEST_PAUSE_MS = 200;

/**
 * One transaction of bulk work, and then as long a pause: whoever waits for the write lock looks for it now and then, and would seldom
 * find it free between two that follow each other at once.
 */
export async function gently<T>(transactor: Transactor, work: (tx: Tx) => T): Promise<T> {
  const startedAtMs = performance.now();
  const value = await transactor.write(work);
  const pauseMs = Math.min(LONGEST_PAUSE_MS, performance.now() - startedAtMs);
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  return value;
}
