import { resolve } from 'node:path';
import { UserError } from '../../domain/errors.ts';
import { jsonLine } from '../../domain/hostile-text.ts';
import type { Copied, CopyRequest } from '../../store/copy/copy-store.ts';
import { copyDiffers } from '../../store/copy/refusals.ts';
import { isServer, storePath } from '../../store/location.ts';
import type { StoreCopyOptions } from '../commands/options.ts';
import { copySide } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { asNativeModuleError } from '../native-module.ts';
import { usableColumns } from '../terminal/look.ts';
import { brokenLine, copiedLines, copiedRecord, OFF_TERMINAL_COLUMNS, outlookLines, outlookRecord, removal } from './store-copy-screen.ts';

type Words = StoreCopyOptions & { readonly source: string; readonly target: string };

/** `aieval store copy SRC DST`: a store moves up to a server, or back. */
export async function storeCopyCommand(io: CliIo, globals: Globals, { source, target, verify, dryRun }: Words): Promise<number> {
  const tell = !globals.json && !globals.quiet;
  const request: CopyRequest = {
    from: located(io, source),
    to: located(io, target),
    options: copySide(io),
    ...(tell ? { onTable: (table, rows) => void (rows > 0 && io.stderr.write(`copied ${table}: ${rows.toLocaleString('en-US')}\n`)) } : {}),
  };
  const { copyStore, copyOutlook, verifyCopy } = await import('../../store/copy/copy-store.ts');
  try {
    if (dryRun === true) {
      const outlook = await copyOutlook(request);
      io.stdout.write(globals.json ? `${jsonLine(outlookRecord(outlook))}\n` : `${outlookLines(outlook, columnsOf(io)).join('\n')}\n`);
      return EXIT.pass;
    }
    const copied = await (verify === true ? verifyCopy : copyStore)(request);
    say(io, globals, copied, { ...request, verify: verify === true });
    return EXIT.pass;
  } catch (error) {
    throw asNativeModuleError(error) ?? ofCopy(error);
  }
}

const ELSEWHERE = '--db ';
const IN_ITS_PLACE = 'another file, or a postgres:// URL, in its place: aieval store copy SRC DST';

/** Other commands are told by `--db` which file to use instead. */
function ofCopy(error: unknown): unknown {
  if (!(error instanceof UserError) || !error.next.some((line) => line.includes(ELSEWHERE))) return error;
  const { code, exitCode, message } = error;
  return new UserError({
    code,
    exitCode,
    message,
    next: [...error.next.filter((line) => !line.includes(ELSEWHERE)), IN_ITS_PLACE],
    cause: error,
  });
}

/** A path is one from here. */
function located(io: CliIo, location: string): string {
  return isServer(location) ? location : resolve(io.cwd, storePath(location));
}

function columnsOf(io: CliIo): number {
  return usableColumns(io.stdout, OFF_TERMINAL_COLUMNS);
}

/** Throws `UserError` (E47, exit 8), after the table, where the two are not the same. */
function say(io: CliIo, globals: Globals, copied: Copied, how: CopyRequest & { readonly verify: boolean }): void {
  if (globals.json) io.stdout.write(`${jsonLine(copiedRecord(copied))}\n`);
  else if (!globals.quiet) io.stdout.write(`${copiedLines(copied, how, columnsOf(io)).join('\n')}\n`);
  const different = copied.tables.filter(({ same }) => !same).map(({ table }) => table);
  if (different.length > 0) {
    const next = how.verify ? [] : [removal(how.to), 'aieval store copy, again: what was copied does not change any more'];
    throw copyDiffers(`${copied.target} is not the same as ${copied.source}: ${different.join(', ')}.`, next);
  }
  const [broken] = copied.broken;
  if (broken !== undefined) throw copyDiffers(brokenLine(copied, broken), broken.next);
}
