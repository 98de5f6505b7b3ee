import { readFileSync } from 'node:fs';

/** A line of /proc/locks: holder, inode of the file, first and last byte. */
const LOCK_LINE = /^\d+: POSIX +\S+ +WRITE +(\d+) [\da-f]+:[\da-f]+:(\d+) (\d+) (\d+|EOF)$/;

/** The byte of `-shm` on which SQLite's writer holds its lock (WAL_WRITE_LOCK). */
const WRITE_LOCK_BYTE = 120;

/** Who holds the write lock of a database, by /proc/locks and the inode of its `-shm` file; `null` when it does not say. */
export function writerOf(locks: string, shmInode: number): number | null {
  for (const line of locks.split('\n')) {
    const [, pid = '', inode, first, last] = LOCK_LINE.exec(line) ?? [];
    const covers = Number(first) <= WRITE_LOCK_BYTE && (last === 'EOF' || WRITE_LOCK_BYTE <= Number(last));
    // 0: a process of another container.
    if (Number(inode) === shmInode && covers && Number(pid) > 0) return Number(pid);
  }
  return null;
}

/** Whether a process is stopped (SIGSTOP, Ctrl-Z) or held by a debugger. False where that cannot be seen: on Linux alone it can. */
export function isStopped(pid: number): boolean {
  const stat = readOrNull(`/proc/${pid}/stat`) ?? '';
  // The name in parentheses may hold anything, parentheses too.
  const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
  return state === 'T' || state === 't';
}

/** The content of a file of /proc, or `null` where there is none. */
export function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
