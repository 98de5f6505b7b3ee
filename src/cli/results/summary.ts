import { UserError } from '../../domain/errors.ts';
import { readSummary } from '../../engine/projections.ts';
import { rebuildFiles } from '../../engine/unwritten.ts';
import { summaryCommands } from '../../report/github.ts';
import { summaryJson } from '../../report/json.ts';
import { summaryMarkdown } from '../../report/markdown.ts';
import { createSummary } from '../../report/summarize.ts';
import type { Summary } from '../../report/summary.ts';
import { summaryText } from '../../report/text.ts';
import { DEFAULT_RUN } from '../commands/command-parts.ts';
import type { SummaryFormat, SummaryOptions } from '../commands/options.ts';
import { withStore } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo, CliStream } from '../io.ts';
import { findRun } from '../jobs/find-run.ts';
import { hanging } from '../terminal/hanging.ts';
import { packageVersion } from '../version.ts';
import { type FileOf, filesFromHere, filesOfRun } from './annotation-file.ts';
import { writeHtml } from './html-output.ts';
import { openResults } from './results-source.ts';

/**
 * `aieval summary [RUN]`: the report of a run as it stands now, on stdout. Markdown, unless `--format` or `--json` says otherwise. Brings
 * the run's files up to date as well; with `--from` it reads a `results.jsonl` and nothing else.
 */
export async function summaryCommand(io: CliIo, globals: Globals, name: string, options: SummaryOptions): Promise<number> {
  const format = chosenFormat(globals, options);
  const { from } = options;
  if (from !== undefined && name !== DEFAULT_RUN) throw usage(`--from reads the run in ${from}, so ${name} has no meaning`);
  const summarized = await (from === undefined ? summaryOfRun(io, globals, name) : summaryOfFile(io, from));
  io.stdout.write(rendered(summarized, format, options, io.stdout));
  return EXIT.pass;
}

function chosenFormat({ json }: Globals, { format }: SummaryOptions): SummaryFormat {
  if (json && format !== undefined && format !== 'json') throw usage(`--json and --format ${format} exclude each other`);
  return json ? 'json' : (format ?? 'md');
}

function usage(message: string): UserError {
  return new UserError({ code: 'E00', exitCode: EXIT.usage, message, next: ['aieval summary --help'] });
}

type Summarized = { readonly summary: Summary; readonly fileOf: FileOf };

async function summaryOfRun(io: CliIo, globals: Globals, name: string): Promise<Summarized> {
  return await withStore(io, globals, async (store) => {
    const run = await findRun(store, name);
    const projection = { store, run, version: packageVersion(), writeHtml };
    await rebuildFiles(projection, (message) => io.stderr.write(`warning: ${message}\n`));
    return { summary: await readSummary(projection), fileOf: filesOfRun(io, run) };
  });
}

async function summaryOfFile(io: CliIo, from: string): Promise<Summarized> {
  const { header, lines } = await openResults(io, from);
  const summary = createSummary(header);
  for await (const line of lines) summary.add(line);
  return { summary: summary.finish(), fileOf: filesFromHere(io) };
}

function rendered({ summary, fileOf }: Summarized, format: SummaryFormat, options: SummaryOptions, stdout: CliStream): string {
  switch (format) {
    case 'json':
      return summaryJson(summary);
    case 'txt':
      return fitted(summaryText(summary), stdout);
    case 'github':
      return summaryCommands(summary, fileOf);
    case 'md': {
      const { artifactUrl = null, reportUrl = null, maxChars } = options;
      return summaryMarkdown(summary, {
        artifactUrl,
        reportUrl,
        links: 'none',
        ...(maxChars === undefined ? {} : { maxLength: maxChars }),
      });
    }
  }
}

/** A pipe gets every line as it is. */
function fitted(text: string, { isTTY, columns }: CliStream): string {
  if (isTTY !== true || columns === undefined) return text;
  return text
    .split('\n')
    .flatMap((line) => hanging([line], columns))
    .join('\n');
}
