import { join } from 'node:path';

/** Where the locks of a store's workers are. `path`: of the store's database, or of nothing but its locks. */
export function locksFolder(path: string): string {
  return `${path}.workers`;
}

/** The lock of one worker. */
export function lockFile(path: string, workerId: string): string {
  return join(locksFolder(path), `${workerId}.lock`);
}
