import { UserError } from '../domain/errors.ts';
import { EXIT } from './exit-codes.ts';

const REBUILD = 'npm rebuild better-sqlite3 --ignore-scripts=false';

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
  return new UserError({ code: 'E25', exitCode: EXIT.storage, message, next: [REBUILD], cause });
}
