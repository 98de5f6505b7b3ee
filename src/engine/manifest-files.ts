import { readdir, readFile, stat } from 'node:fs/promises';

/** What loading a manifest asks of the file system. Paths are absolute. */
export type ManifestFiles = {
  /** Rejects as `node:fs` does. */
  readonly readFile: (path: string) => Promise<Uint8Array>;
  /** `null` when there is nothing, or nothing that can be looked at; a pipe or a device is `special`: reading it may never end. */
  readonly kindOf: (path: string) => Promise<'file' | 'folder' | 'special' | null>;
  /** Names in a folder; none when it cannot be read: they only serve suggestions. */
  readonly namesIn: (folder: string) => Promise<readonly string[]>;
};

export const diskFiles: ManifestFiles = {
  readFile: (path) => readFile(path),
  kindOf: async (path) => {
    const stats = await unlessSystemError(stat(path), null);
    if (stats === null) return null;
    return stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'special';
  },
  namesIn: (folder) => unlessSystemError(readdir(folder), []),
};

async function unlessSystemError<Value>(work: Promise<Value>, fallback: Value): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (systemCode(error) === null) throw error;
    return fallback;
  }
}

/** The code of an error of the file system, such as `ENOENT`; `null` for all others. */
function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

const FAULTS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'not found'],
  ['ENOTDIR', 'not found'],
  ['ENAMETOOLONG', 'not found: the name is too long'],
  ['EISDIR', 'is a folder'],
  ['EACCES', 'cannot be read: permission denied'],
  ['EPERM', 'cannot be read: permission denied'],
]);

/** The file's bytes, or the end of a sentence that begins with its name: "not found", "cannot be read: …". */
export async function bytesOrFault(files: ManifestFiles, path: string): Promise<Uint8Array | string> {
  try {
    return await files.readFile(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === null) throw error;
    return FAULTS.get(code) ?? `cannot be read (${code})`;
  }
}

/** The bytes as text, or `null` when they are no UTF-8. A byte order mark stays. */
export function utf8OrNull(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
