import { existsSync, statSync } from 'node:fs';

/** Whether a file stands at `path`, or leads to one; false also where nobody may look. */
export function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

/** Whether a folder stands at `path`, or is led to. */
export function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
