import { createPool, type Pool } from '../engine/pool.ts';

/** Threads for documents, schemas and checks. Apart from the store, because a command that only reads loads none of it. */
export function openPool(): Pool {
  return createPool(new URL('../engine/pool-worker.js', import.meta.url));
}
