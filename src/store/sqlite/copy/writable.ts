import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SideOptions } from '../../copy/side.ts';
import { refuseUnsafeFileSystem } from '../file-system-here.ts';
import { refuseMissingFolder } from '../open.ts';
import { refusal } from '../sqlite-errors.ts';

/** Throws `UserError` (exit 8) where a database could not be written, or not be made; neither is tried. */
export function refuseUnwritableFile(path: string, { trustUncertain, onTrusted }: SideOptions): void {
  refuseMissingFolder(path);
  refuseUnsafeFileSystem(path, { trustUncertain, onTrusted });
  const place = existsSync(path) ? path : dirname(path);
  try {
    accessSync(place, constants.W_OK);
  } catch (cause) {
    throw refusal(`${place} may not be written by this user.`, ['copy into a file in a folder that you may write'], cause);
  }
}
