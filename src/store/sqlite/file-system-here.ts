import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileSystemOf, type Machine, THIS_MACHINE } from '../machine/file-system-here.ts';
import { refusal } from './sqlite-errors.ts';

export type FileSystemOptions = {
  /** A person vouches for a file system of which nothing certain is known. */
  readonly trustUncertain: boolean;
  /** Told when the database is opened because of that. */
  readonly onTrusted?: (warning: string) => void;
  readonly machine?: Machine;
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
