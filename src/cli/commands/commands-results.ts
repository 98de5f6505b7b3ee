import { type Command, Option } from 'commander';
import { collect, DEFAULT_RUN, examples, type Invoke, JOB, maxCharsOption, RUN, sinceOption } from './command-parts.ts';
import {
  EXPORT_FORMATS,
  type ExportOptions,
  type LogsOptions,
  REPORT_DOCS,
  type ReportOptions,
  type ShowOptions,
  SUMMARY_FORMATS,
  type SummaryOptions,
} from './options.ts';

/** The commands that tell what came of a run: `show`, `logs`, `summary`, `report`, `export`, `artifacts`. */
export function addResults(program: Command, invoke: Invoke): void {
  addShow(program, invoke);
  addLogs(program, invoke);
  addSummary(program, invoke);
  addReport(program, invoke);
  addExport(program, invoke);
  addArtifacts(program, invoke);
}

function addShow(program: Command, invoke: Invoke): void {
  program
    .command('show')
    .summary('show one job: answer, checks, evidence')
    .description('Shows all that is known of one job: verdict, checks with their evidence, answer, attempts, cost.')
    .argument('<job>', 'document:task:model (with repeats #1, #2, …), or the beginning of a job id')
    .option('--run <run>', RUN, DEFAULT_RUN)
    .option('--prompt', 'print the prompt as it was sent')
    .option('--raw', 'print the answer as it came')
    .option('--step <step>', 'of a document that was asked in parts: the step whose prompt or answer is meant, such as chunk-2')
    .option('--attempts', 'print every attempt and call')
    .option('--doc', 'print the document as it was evaluated around each quote, marked where it stands; with --json the whole text')
    .addHelpText(
      'after',
      examples(
        ['aieval show specs/auth.md:ambiguity:fast', 'by name'],
        ['aieval show j3f9', 'by the beginning of its id'],
        ['aieval show j3f9 --prompt | less', 'what the model was asked'],
        ['aieval show j3f9 --raw --step chunk-2', 'what it said of the second part'],
        ['aieval show j3f9 --doc', 'where its quotes stand in the document'],
      ),
    )
    .action((job: string, options: ShowOptions) =>
      invoke(async (io, globals) => (await import('../show/show.ts')).showCommand(io, globals, job, options)),
    );
}

function addSummary(program: Command, invoke: Invoke): void {
  program
    .command('summary')
    .summary('print the report of a run')
    .description('Prints the summary of a run on stdout, fit for a pull-request comment. Works on unfinished runs and says so.')
    .argument('[run]', RUN, DEFAULT_RUN)
    .addOption(new Option('--format <format>', 'how it is written; default md').choices(SUMMARY_FORMATS))
    .option('--artifact-url <url>', "where the run's folder can be read, for links")
    .option('--report-url <url>', 'where report.html can be read, for a link')
    .addOption(maxCharsOption())
    .option('--from <file>', 'read this results.jsonl instead of the database')
    .addHelpText(
      'after',
      examples(
        ['aieval summary >> "$GITHUB_STEP_SUMMARY"', 'in a workflow'],
        ['aieval summary --format github', 'annotations for the files of a pull request'],
        ['aieval summary --from results.jsonl', 'without the database; - reads stdin'],
        ['aieval summary --format txt', 'in a terminal'],
      ),
    )
    .action((run: string, options: SummaryOptions) =>
      invoke(async (io, globals) => (await import('../results/summary.ts')).summaryCommand(io, globals, run, options)),
    );
}

function addLogs(program: Command, invoke: Invoke): void {
  program
    .command('logs')
    .summary('show what happened, one line for each event')
    .description(
      'Prints what happened in a run, oldest first: tries, answers, verdicts, reasons. Reads the database, so any terminal will do.',
    )
    .argument('[run]', RUN, DEFAULT_RUN)
    .option('--job <job>', JOB, collect)
    .option('--failed', 'only what went wrong')
    .option('-f, --follow', 'go on until the run ends')
    .addOption(sinceOption())
    .addHelpText(
      'after',
      examples(
        ['aieval logs --failed', 'what went wrong in the latest run'],
        ['aieval logs --follow', 'beside a run, in a second terminal'],
        ['aieval logs --job j3f9 --json', 'one job, for scripts'],
      ),
    )
    .action((run: string, options: LogsOptions) =>
      invoke(async (io, globals) => (await import('../status/logs.ts')).logsCommand(io, globals, run, options)),
    );
}

function addReport(program: Command, invoke: Invoke): void {
  program
    .command('report')
    .summary('write one HTML file to look through')
    .description('Writes a report that opens without a server and without a request: filters, documents with their quotes, answers, costs.')
    .argument('[run]', RUN, DEFAULT_RUN)
    .option('-o, --output <file>', "file to write; default report.html in the run's folder")
    .addOption(new Option('--docs <what>', 'how much of each document is in it').choices(REPORT_DOCS).default('cited'))
    .option('--artifact-url <url>', "where the run's folder can be read, for links")
    .option('--open', 'open it in a browser')
    .addHelpText(
      'after',
      examples(
        ['aieval report', 'of the latest run; prints the path'],
        ['aieval report -o report.html --docs full', 'with the whole documents'],
        ['aieval report --open', 'and look'],
      ),
    )
    .action((run: string, options: ReportOptions) =>
      invoke(async (io, globals) => (await import('../results/report.ts')).reportCommand(io, globals, run, options)),
    );
}

function addExport(program: Command, invoke: Invoke): void {
  program
    .command('export')
    .summary('write the results for another program')
    .description(
      'Writes the results of a run as JUnit XML, CSV, JSON Lines, SARIF 2.1.0 or the JSON of a shields.io badge, on stdout or into a file. ' +
        'Works on unfinished runs and says so. Reads only.',
    )
    .argument('[run]', RUN, DEFAULT_RUN)
    .addOption(new Option('--format <format>', 'how they are written').choices(EXPORT_FORMATS).makeOptionMandatory())
    .option('-o, --output <file>', 'file to write instead of stdout, in a folder that is there')
    .option('--from <file>', 'read this results.jsonl instead of the database; - is stdin')
    .addHelpText(
      'after',
      examples(
        ['aieval export --format junit -o junit.xml', 'for a CI server'],
        ['aieval export --format csv > results.csv', 'for a spreadsheet'],
        ['aieval export --format sarif -o aieval.sarif', 'for code scanning, text documents only'],
        ['aieval export --format badge -o badge.json', 'for a shields.io endpoint badge'],
        ['aieval export --from results.jsonl --format csv', 'without the database'],
      ),
    )
    .action((run: string, options: ExportOptions) =>
      invoke(async (io, globals) => (await import('../results/export.ts')).exportCommand(io, globals, run, options)),
    );
}

function addArtifacts(program: Command, invoke: Invoke): void {
  const artifacts = program
    .command('artifacts')
    .summary("bring a run's files onto this machine")
    .description('Care of the files of runs. They are made of the database, on any machine that reaches it.')
    .addHelpText(
      'after',
      examples(['aieval artifacts pull', 'the files of the latest run'], ['aieval artifacts pull r-8kq2', 'of this one']),
    );
  artifacts
    .command('pull')
    .summary('write all files of a run')
    .description(
      "Writes all files of a run and prints their folder: the run's own where it was started, else one of the same name in .aieval/runs, or " +
        'in the folder that --out names. They hold the same bytes on every machine; doing it again brings them up to date.',
    )
    .argument('[run]', RUN, DEFAULT_RUN)
    .addHelpText(
      'after',
      examples(
        ['aieval artifacts pull', 'the files of the latest run'],
        ['aieval artifacts pull r-8kq2 --out /srv/runs', 'into /srv/runs/r-8kq2…'],
        ['aieval artifacts pull --json', 'for scripts'],
      ),
    )
    .action((run: string) => invoke(async (io, globals) => (await import('../results/pull.ts')).pullCommand(io, globals, run)));
}
