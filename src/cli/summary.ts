import { readSummary } from '../engine/projections.ts';
import { rebuildFiles } from '../engine/unwritten.ts';
import { summaryJson } from '../report/json.ts';
import { summaryMarkdown } from '../report/markdown.ts';
import type { Summary } from '../report/summary.ts';
import { summaryText } from '../report/text.ts';
import { withStore } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { findRun } from './find-run.ts';
import type { Globals } from './globals.ts';
import type { CliIo } from './io.ts';
import type { SummaryFormat, SummaryOptions } from './options.ts';
import { packageVersion } from './version.ts';

/**
 * `aieval summary [RUN]`: the report of a run as it stands now, on stdout. Markdown, unless `--format` or `--json` says otherwise. Brings
 * the run's files up to date as well.
 */
export async function summaryCommand(io: CliIo, globals: Globals, name: string, options: SummaryOptions): Promise<number> {
  return await withStore(io, globals, async (store) => {
    const run = await findRun(store, name);
    const projection = { store, run, version: packageVersion() };
    await rebuildFiles(projection, (message) => io.stderr.write(`warning: ${message}\n`));
    const summary = await readSummary(projection);
    io.stdout.write(rendered(summary, options.format ?? (globals.json ? 'json' : 'md'), options.artifactUrl ?? null));
    return EXIT.pass;
  });
}

function rendered(summary: Summary, format: SummaryFormat, artifactUrl: string | null): string {
  switch (format) {
    case 'json':
      return summaryJson(summary);
    case 'txt':
      return summaryText(summary);
    case 'md':
      return summaryMarkdown(summary, { artifactUrl });
  }
}
