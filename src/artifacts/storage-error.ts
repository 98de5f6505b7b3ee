import { dirname } from 'node:path';
import { UserError } from '../domain/errors.ts';

type Advice = { readonly code: 'E22' | 'E24'; readonly problem: string };

/** What the file system refuses and a person can mend, by its error code. */
const ADVICE = new Map<string, Advice>([
  ['ENOSPC', { code: 'E24', problem: 'disk full' }],
  ['EDQUOT', { code: 'E24', problem: 'disk quota reached' }],
  ['EIO', { code: 'E24', problem: 'the disk reports an error' }],
  ['EROFS', { code: 'E22', problem: 'the file system is read-only' }],
  ['EACCES', { code: 'E22', problem: 'permission denied' }],
  ['EPERM', { code: 'E22', problem: 'not permitted' }],
  ['ENOTDIR', { code: 'E22', problem: 'a file stands where a folder is needed' }],
  ['EEXIST', { code: 'E22', problem: 'a file stands where a folder is needed' }],
  ['EISDIR', { code: 'E22', problem: 'a folder stands where the file belongs' }],
]);

/** A `UserError` (exit 8) that names the file, for what a person can mend; any other error as it came. */
export function storageError(error: unknown, path: string): unknown {
  const code = errorCode(error);
  const advice = ADVICE.get(code);
  if (advice === undefined) return error;
  return new UserError({
    code: advice.code,
    exitCode: 8,
    message: `cannot write ${path}: ${advice.problem} (${code}). Results are safe in the database.`,
    next:
      advice.code === 'E24'
        ? ['free space, then the same command again']
        : [`ls -ld ${JSON.stringify(dirname(path))}`, 'write elsewhere: the same command with --out DIR'],
    cause: error,
  });
}

/** The system's code of an error (`ENOENT`); empty when it has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
