import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync, realpathSync, statfsSync } from 'node:fs';
import { platform } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { type FileSystem, linuxFileSystem, mountedFileSystem, UNKNOWN, windowsFileSystem } from './file-system.ts';
import { refusal } from './sqlite-errors.ts';

/** What is asked of the machine; replaced by tests that stand elsewhere. */
export type Machine = {
  readonly platform: string;
  /** Type number, as Linux gives it, and what a user may still write. */
  statfs(folder: string): { readonly type: number | bigint; readonly freeBytes: number };
  /** The output of `mount`; throws where it cannot be had. */
  mountTable(): string;
};

export type FileSystemOptions = {
  /** A person vouches for a file system of which nothing certain is known. */
  readonly trustUncertain: boolean;
  /** Told when the database is opened because of that. */
  readonly onTrusted?: (warning: string) => void;
  readonly machine?: Machine;
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

/** As many as the systems follow. */
const MOST_LINKS = 40;

/** The file itself, which need not be there yet, behind whatever links: SQLite keeps its log beside that, not beside a link. */
export function realDatabase(path: string, links = 0): string {
  if (links < MOST_LINKS && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    return realDatabase(resolve(dirname(path), readlinkSync(path)), links + 1);
  }
  const folder = dirname(path);
  return existsSync(folder) ? join(realpathSync(folder), basename(path)) : resolve(path);
}

/** The folder of the database, or the one in which it would be created, without links. */
export function realFolder(path: string): string {
  let folder = dirname(realDatabase(path));
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return realpathSync(folder);
}

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

/** Lets nothing be created or opened where SQLite's promises do not hold. Throws `UserError` (E22, exit 8). */
export function refuseUnsafeFileSystem(path: string, options: FileSystemOptions = { trustUncertain: false }): void {
  const { kind, name } = fileSystemOf(realFolder(path), options.machine ?? THIS_MACHINE);
  if (kind === 'network') throw refusal(networkText(path, name), NETWORK_NEXT);
  if (kind !== 'uncertain') return;
  if (!options.trustUncertain) throw refusal(uncertainText(path, name), UNCERTAIN_NEXT);
  options.onTrusted?.(uncertainText(path, name));
}

/** What is wrong with a network file system. */
export function networkText(path: string, name: string): string {
  return `${path} is on a network file system (${name}): SQLite's locks and its log are not safe there.`;
}

/** What may be wrong with a file system that is no disk of this machine for certain. */
export function uncertainText(path: string, name: string): string {
  return `${path} is on a file system (${name}) where SQLite's locks and its log may not be safe.`;
}

export const NETWORK_NEXT: readonly string[] = ['--db PATH on a local disk'];
export const UNCERTAIN_NEXT: readonly string[] = [
  ...NETWORK_NEXT,
  'or --trust-fs (AIEVAL_TRUST_FS=1), if no other machine or container opens the file at the same time',
];
