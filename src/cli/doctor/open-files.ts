import { UserError } from '../../domain/errors.ts';
import { EXIT } from '../exit-codes.ts';

/** Below this not even our own modules can be read. */
const ENOUGH = 1024;

/** The process may open no more files: a limit that the user can raise. `null` for every other error. */
export function asOpenFilesError(error: unknown): UserError | null {
  if (!(error instanceof Error) || !('code' in error) || (error.code !== 'EMFILE' && error.code !== 'ENFILE')) return null;
  const whose = error.code === 'EMFILE' ? `this process may open ${openFilesLimit()}` : 'the whole system has no more to give';
  return new UserError({
    code: 'E37',
    exitCode: EXIT.storage,
    message: `too many open files (${error.code}): ${whose}`,
    next:
      error.code === 'EMFILE'
        ? [`ulimit -n ${ENOUGH}, then the same command again`]
        : ['close other programs, then the same command again'],
    cause: error,
  });
}

/** Read without opening a file. */
function openFilesLimit(): string {
  const report: unknown = process.report.getReport();
  if (typeof report !== 'object' || report === null || !('userLimits' in report)) return 'too few';
  const { userLimits } = report;
  if (typeof userLimits !== 'object' || userLimits === null || !('open_files' in userLimits)) return 'too few';
  const { open_files: openFiles } = userLimits;
  if (typeof openFiles !== 'object' || openFiles === null || !('soft' in openFiles)) return 'too few';
  return `${String(openFiles.soft)} (ulimit -n)`;
}
