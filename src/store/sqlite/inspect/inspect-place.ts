import { statSync } from 'node:fs';
import { size } from '../../../domain/size.ts';
import { ok, problem, warning } from '../../finding.ts';
import { type FileSystem, UNKNOWN } from '../../machine/file-system.ts';
import { fileSystemOf, type Machine } from '../../machine/file-system-here.ts';
import type { Inspection } from '../../maintenance.ts';
import { type FileSystemOptions, NETWORK_NEXT, networkText, UNCERTAIN_NEXT, uncertainText } from '../file-system-here.ts';

/** Where the database is, or would be: all without links. */
export type Place = { readonly path: string; readonly folder: string; readonly fileSystem: FileSystem };

/** Whether the file may be opened there at all. */
export function isSafe({ fileSystem }: Place, { trustUncertain }: FileSystemOptions): boolean {
  return fileSystem.kind === 'local' || (fileSystem.kind === 'uncertain' && trustUncertain);
}

export function placeOf(path: string, folder: string, machine: Machine): Place {
  return { path, folder, fileSystem: fileSystemOf(folder, machine) };
}

const FORGETFUL: ReadonlySet<string> = new Set(['tmpfs', 'ramfs']);

export function inspectFileSystem({ path, folder, fileSystem: { kind, name } }: Place, trustUncertain: boolean): Inspection {
  const check = 'file-system';
  if (kind === 'network') return problem(check, networkText(path, name), NETWORK_NEXT);
  if (kind === 'uncertain' && !trustUncertain) return problem(check, uncertainText(path, name), UNCERTAIN_NEXT);
  if (kind === 'uncertain') return warning(check, uncertainText(path, name), NETWORK_NEXT);
  if (FORGETFUL.has(name)) {
    const text = `${folder} is in memory (${name}): answers do not survive a restart of the machine.`;
    return warning(check, text, ['--db PATH on a disk']);
  }
  return ok(check, name === UNKNOWN ? `${folder} is taken for a local disk` : `${folder} is on a local file system (${name})`);
}

const MIB = 1024 * 1024;
const LITTLE_BYTES = 256 * MIB;
const TOO_LITTLE_BYTES = 32 * MIB;

export function inspectDisk({ folder }: Place, machine: Machine): Inspection {
  const { freeBytes } = machine.statfs(folder);
  const text = `${size(freeBytes)} free in ${folder}`;
  if (freeBytes < TOO_LITTLE_BYTES) return problem('disk', `${text}: too little to go on`, [`free space: df -h ${folder}`]);
  if (freeBytes < LITTLE_BYTES) return warning('disk', `${text}: little for the answers of a run`, [`free space: df -h ${folder}`]);
  return ok('disk', text);
}

/** SQLite begins its log anew at this size, and cuts it back to that, unless a reader stands in the way. */
const LONG_LOG_BYTES = 64 * MIB;

/** Size only: the database's own files are never opened beside SQLite, which would drop its locks. */
export function inspectLog({ path }: Place): Inspection {
  const sizeBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const text = `the log (${path}-wal) has ${size(sizeBytes)}`;
  if (sizeBytes <= LONG_LOG_BYTES) return ok('wal', text);
  const why = 'a program that reads for long keeps it from being cut back (a database viewer, a backup, a stopped process)';
  return warning('wal', `${text}: ${why}`, ['close that program; the next command that works cuts the log back']);
}
