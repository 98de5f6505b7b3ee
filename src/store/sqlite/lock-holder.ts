import { statSync } from 'node:fs';
import { readOrNull, writerOf } from './inspect/inspect-processes.ts';

/** Who holds the write lock of a database, where this machine tells; its name is that of its program. */
export function lockHolder(path: string): { readonly pid: number; readonly name: string } | null {
  const shm = statSync(`${path}-shm`, { throwIfNoEntry: false });
  const pid = shm === undefined ? null : writerOf(readOrNull('/proc/locks') ?? '', shm.ino);
  if (pid === null) return null;
  const name = readOrNull(`/proc/${pid}/comm`)?.trim() ?? '';
  return { pid, name: name === '' ? 'unknown' : name };
}

const SYNCED =
  /(?:^|\/)(Dropbox|OneDrive|Google ?Drive|iCloud ?Drive|Mobile Documents|Nextcloud|ownCloud|Syncthing|pCloud ?Drive)(?=[\s/-]|$)/i;

/** The service whose folder a path lies in; `null`: none that we know. */
export function syncedBy(path: string): string | null {
  const name = SYNCED.exec(path)?.[1];
  return name === undefined ? null : name === 'Mobile Documents' ? 'iCloud' : name;
}
