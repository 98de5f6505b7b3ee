import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { UserError } from '../domain/errors.ts';
import { EXIT } from './exit-codes.ts';
import { shellWord } from './terminal/shell-word.ts';

const DRIVER = 'better-sqlite3';

/**
 * The database driver without its compiled part, or with one for another Node: what its loader throws, as an error with the
 * command that mends it. `null` for every other error.
 */
export function asNativeModuleError(error: unknown): UserError | null {
  if (!(error instanceof Error)) return null;
  // `bindings` lists the places where it looked.
  if ('tries' in error) return nativeError('better-sqlite3 was installed without its native part (npm install scripts are blocked)', error);
  if ('code' in error && error.code === 'ERR_DLOPEN_FAILED') {
    return nativeError(`the native part of better-sqlite3 does not fit this Node (${process.versions.node})`, error);
  }
  return null;
}

function nativeError(message: string, cause: Error): UserError {
  return new UserError({ code: 'E25', exitCode: EXIT.storage, message, next: [rebuildCommand()], cause });
}

/** Works from every folder: the driver may stand in aieval's own `node_modules`, or in those of a project that has aieval in them. */
function rebuildCommand(): string {
  const driver = createRequire(import.meta.url).resolve(`${DRIVER}/package.json`);
  const project = dirname(dirname(dirname(driver)));
  return `npm rebuild ${DRIVER} --ignore-scripts=false --prefix ${shellWord(project)}`;
}
