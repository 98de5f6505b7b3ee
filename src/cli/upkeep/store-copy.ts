import { UserError } from '../../domain/errors.ts';
import { jsonLine } from '../../domain/hostile-text.ts';
import type { Copied, CopyRequest } from '../../store/copy/copy-store.ts';
import { copyDiffers } from '../../store/copy/refusals.ts';
import { isServer } from '../../store/location.ts';
import type { StoreCopyOptions } from '../commands/options.ts';
import { typedLocation } from '../config/pg-variables.ts';
import { copySide } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { asTyped } from '../lead.ts';
import { asNativeModuleError } from '../native-module.ts';
import { usableColumns } from '../terminal/look.ts';
import {
  brokenLine,
  commandOn,
  copiedLines,
  copiedRecord,
  OFF_TERMINAL_COLUMNS,
  outlookLines,
  outlookRecord,
  progressLine,
  removal,
} from './store-copy-screen.ts';

type Words = StoreCopyOptions & { readonly source: string; readonly target: string };

/** `aieval store copy SRC DST`: a store moves up to a server, or back. */
export async function storeCopyCommand(io: CliIo, globals: Globals, { source, target, verify, dryRun }: Words): Promise<number> {
  const tell = !globals.json && !globals.quiet;
  const request: CopyRequest = {
    from: typedLocation(source, io),
    to: typedLocation(target, io),
    options: copySide(io),
    ...(tell ? { onTable: (table, rows) => tellTable(io, progressLine(table, rows)) } : {}),
  };
  const { copyStore, copyOutlook, verifyCopy } = await import('../../store/copy/copy-store.ts');
  try {
    if (dryRun === true) {
      const outlook = await copyOutlook(request);
      io.stdout.write(globals.json ? `${jsonLine(outlookRecord(outlook))}\n` : `${outlookLines(outlook, columnsOf(io)).join('\n')}\n`);
      return EXIT.pass;
    }
    const copied = await (verify === true ? verifyCopy : copyStore)(request);
    say(io, globals, copied, { ...request, verify: verify === true, isUsed: request.to === globals.db });
    return EXIT.pass;
  } catch (error) {
    throw asNativeModuleError(error) ?? ofServer(ofCopy(error), request, globals.db);
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

const DOCTOR = 'aieval doctor';

/** Of two stores the one that the error is of is to be looked at, not the one that is used by who names none. */
function ofServer(error: unknown, { from, to }: CopyRequest, used: string | null): unknown {
  if (!(error instanceof UserError)) return error;
  const servers = [from, to].filter(isServer);
  const meant = servers.length === 1 ? servers[0] : servers.find((location) => error.message.includes(toldPlace(location)));
  if (meant === undefined || meant === used) return error;
  const { code, exitCode, message } = error;
  const next = error.next.map((line) => (line === DOCTOR ? commandOn(meant, 'doctor') : line));
  return new UserError({ code, exitCode, message, next, cause: error });
}

/** As messages begin that are of a server. */
function toldPlace(location: string): string {
  const { pathname, searchParams } = new URL(location);
  return `${pathname} (schema ${searchParams.get('schema') ?? 'aieval'})`;
}

function tellTable(io: CliIo, line: string | null): void {
  if (line !== null) io.stderr.write(`${line}\n`);
}

function columnsOf(io: CliIo): number {
  return usableColumns(io.stdout, OFF_TERMINAL_COLUMNS);
}

/** Throws `UserError` (E47, exit 8), after the table, where the two are not the same. */
function say(io: CliIo, globals: Globals, copied: Copied, how: CopyRequest & { readonly verify: boolean; readonly isUsed: boolean }): void {
  if (globals.json) io.stdout.write(`${jsonLine(copiedRecord(copied))}\n`);
  else if (!globals.quiet) io.stdout.write(`${asTyped(copiedLines(copied, how, columnsOf(io)).join('\n'), io.notes.lead)}\n`);
  const different = copied.tables.filter(({ same }) => !same).map(({ table }) => table);
  if (different.length > 0) {
    const next = how.verify ? [] : [removal(how.to), 'aieval store copy, again: what was copied does not change any more'];
    throw copyDiffers(`${copied.target} is not the same as ${copied.source}: ${different.join(', ')}.`, next);
  }
  const [broken] = copied.broken;
  if (broken !== undefined) throw copyDiffers(brokenLine(copied, broken), broken.next);
}
