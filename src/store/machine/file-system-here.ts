import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { platform } from 'node:os';
import { type FileSystem, linuxFileSystem, mountedFileSystem, UNKNOWN, windowsFileSystem } from './file-system.ts';

/** What is asked of the machine; replaced by tests that stand elsewhere. */
export type Machine = {
  readonly platform: string;
  /** Type number, as Linux gives it, and what a user may still write. */
  statfs(folder: string): { readonly type: number | bigint; readonly freeBytes: number };
  /** The output of `mount`; throws where it cannot be had. */
  mountTable(): string;
};

/** This machine. */
export const THIS_MACHINE: Machine = {
  platform: platform(),
  statfs: (folder) => {
    const { type, bavail, bsize } = statfsSync(folder, { bigint: true });
    return { type, freeBytes: Number(bavail * bsize) };
  },
  mountTable: () => execFileSync('/sbin/mount', { encoding: 'utf8', timeout: 5000 }),
};

/** The file system of an existing folder, whose links are resolved. */
export function fileSystemOf(folder: string, machine: Machine): FileSystem {
  if (machine.platform === 'linux') return linuxFileSystem(machine.statfs(folder).type);
  if (machine.platform === 'win32') return windowsFileSystem(folder);
  try {
    return mountedFileSystem(machine.mountTable(), folder);
  } catch (error) {
    // A sandbox may forbid to start programs; that says nothing about the disk.
    if (error instanceof Error && 'code' in error) return { kind: 'local', name: UNKNOWN };
    throw error;
  }
}
