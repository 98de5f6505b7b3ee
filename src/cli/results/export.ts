import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UserError } from '../../domain/errors.ts';
import { jsonLine, oneLine, printableJson } from '../../domain/hostile-text.ts';
import { exportText } from '../../engine/export-text.ts';
import { readResultSource } from '../../engine/projections.ts';
import { sourcePaths } from '../../engine/source-paths.ts';
import type { ExportSource } from '../../report/export/export-source.ts';
import type { ExportFormat, ExportOptions } from '../commands/options.ts';
import { withStore } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { findRun } from '../jobs/find-run.ts';
import { tellLatestPart } from '../jobs/tell-part.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { writeExportFile } from '../upkeep/cache-export-file.ts';
import { packageVersion } from '../version.ts';
import { fileSource } from './export-source.ts';
import { writeToStdout } from './stdout-parts.ts';

const STDOUT = '-';
/** What these print is JSON as it is. */
const JSON_FORMATS: ReadonlySet<ExportFormat> = new Set(['jsonl', 'sarif', 'badge']);

/**
 * `aieval export [RUN]`: the results of a run as it stands now, on stdout or in a file. Reads only. With `--json` and a file, stdout says
 * what was written.
 */
export async function exportCommand(io: CliIo, globals: Globals, name: string, options: ExportOptions): Promise<number> {
  checkTarget(io, globals, options);
  if (options.from !== undefined) {
    await write(io, globals, options, { source: await fileSource(io, options.from), pathOf: (documentId) => documentId });
    return EXIT.pass;
  }
  return await withStore(io, globals, async (store) => {
    const run = await findRun(store, name);
    await tellLatestPart(io, name, { quiet: globals.quiet, store, run });
    const source = await readResultSource({ store, run, version: packageVersion() });
    await write(io, globals, options, { source, pathOf: sourcePaths(run) });
    return EXIT.pass;
  });
}

/** Before anything is read. */
function checkTarget(io: CliIo, { json }: Globals, { format, output = STDOUT }: ExportOptions): void {
  if (output === STDOUT) {
    if (!json || JSON_FORMATS.has(format)) return;
    throw usage(`--json: ${format} on stdout is no JSON`, [
      `aieval export --format ${format}`,
      `aieval export --format ${format} -o FILE --json`,
    ]);
  }
  const path = resolve(io.cwd, output);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw usage(`-o: ${oneLine(output)} is a folder, expected a file`, [
      `aieval export --format ${format} -o ${shellWord(join(output, 'FILE'))}`,
    ]);
  }
  if (existsSync(dirname(path))) return;
  throw new UserError({
    code: 'E22',
    exitCode: EXIT.storage,
    message: `cannot write ${oneLine(output)}: its folder does not exist`,
    next: [`mkdir -p ${shellWord(dirname(output))}`],
  });
}

function usage(message: string, next: readonly string[]): UserError {
  return new UserError({ code: 'E00', exitCode: EXIT.usage, message, next });
}

type Input = { readonly source: ExportSource; readonly pathOf: (documentId: string) => string };

async function write(io: CliIo, globals: Globals, { format, output = STDOUT }: ExportOptions, { source, pathOf }: Input): Promise<void> {
  const note = (text: string): void => void (globals.quiet || io.stderr.write(`note: ${text}\n`));
  const { id, state } = source.header.run;
  if (state !== 'finished' && state !== 'cancelled') note(`run ${oneLine(id)} is not finished; these are its results so far`);
  const text = exportText(format, source, { pathOf, onNote: note });
  if (output === STDOUT) return await writeToStdout(io, JSON_FORMATS.has(format) ? printable(text) : text);
  const written = { bytes: 0 };
  const advice = { safe: 'The results are safe.', otherwise: `aieval export --format ${format} > FILE` };
  await writeExportFile(resolve(io.cwd, output), counting(text, written), advice);
  if (globals.json) io.stdout.write(`${jsonLine({ v: 1, format, path: resolve(io.cwd, output), bytes: written.bytes })}\n`);
  else if (!globals.quiet) io.stderr.write(`Wrote ${oneLine(output)}\n`);
}

/** The same values, and nothing that a terminal or a build log would obey. A part is whole lines; a file gets them as they are. */
async function* printable(parts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const part of parts) yield printableJson(part);
}

async function* counting(parts: AsyncIterable<string>, written: { bytes: number }): AsyncGenerator<string> {
  for await (const part of parts) {
    written.bytes += Buffer.byteLength(part);
    yield part;
  }
}
