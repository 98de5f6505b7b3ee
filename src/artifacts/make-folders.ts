import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it; returns the first that was not there, `undefined` where all were. Level by level, since
 * Node's own `recursive` never comes back from a place where nothing can be made but is reported as missing (/proc). Throws what the
 * system says, `EEXIST` where a file stands in a folder's place.
 */
export function makeFolders(folder: string): string | undefined {
  if (isFolder(folder)) return undefined;
  const first = makeFolders(dirname(folder));
  return makeFolder(folder) ? (first ?? folder) : first;
}

/** Whether it was not there. Another process may make it at this moment. */
function makeFolder(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (isFolder(folder)) return false;
    throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
