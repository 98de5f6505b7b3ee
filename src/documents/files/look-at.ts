import { lstat, realpath, stat } from 'node:fs/promises';

/** What stands at a path. `fault` is the end of a sentence about it: "is a link that leads nowhere". */
export type Sight =
  | { readonly kind: 'file'; readonly realPath: string }
  | { readonly kind: 'folder' | 'nothing' }
  /** A pipe, a device, a socket: reading may never end. */
  | { readonly kind: 'special' }
  | { readonly kind: 'fault'; readonly fault: string };

/** Follows links. Rejects for no state of the file system. */
export async function lookAt(path: string): Promise<Sight> {
  try {
    const realPath = await realpath(path);
    const stats = await stat(realPath);
    if (stats.isFile()) return { kind: 'file', realPath };
    return { kind: stats.isDirectory() ? 'folder' : 'special' };
  } catch (error) {
    return await faultOf(path, codeOf(error));
  }
}

async function faultOf(path: string, code: string): Promise<Sight> {
  if (code === 'ELOOP') return { kind: 'fault', fault: 'is a link that leads to itself' };
  if (code !== 'ENOENT' && code !== 'ENOTDIR') return { kind: 'fault', fault: `cannot be looked at (${code})` };
  // Names are bytes on Linux; those that are no UTF-8 come with U+FFFD in place of the bytes, and lead nowhere.
  if (path.includes('\ufffd')) return { kind: 'fault', fault: 'has a name that is not UTF-8' };
  return (await isThere(path)) ? { kind: 'fault', fault: 'is a link that leads nowhere' } : { kind: 'nothing' };
}

async function isThere(link: string): Promise<boolean> {
  try {
    await lstat(link);
    return true;
  } catch (error) {
    codeOf(error);
    return false;
  }
}

/** Code of an error of the file system, such as `EACCES`; any other error is a bug and goes on. */
function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  throw error;
}
