import { relative } from 'node:path';

/** A path as it is shorter to read: relative to the current folder, unless it stands outside of that. */
export function shortPath(path: string, cwd: string): string {
  const way = relative(cwd, path);
  return way === '' ? '.' : way.startsWith('..') ? path : way;
}
