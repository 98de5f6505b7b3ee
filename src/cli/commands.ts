import { type Command, InvalidArgumentError, Option } from 'commander';
import { nearest } from '../domain/nearest.ts';
import { isReason, REASONS, type Reason } from '../domain/reason.ts';
import { allowedHost, HOST_FORM } from './allow-hosts.ts';
import type { CommandWork } from './globals.ts';
import {
  type PlanOptions,
  type RetryOptions,
  type RunOptions,
  type ShowOptions,
  type StatusOptions,
  SUMMARY_FORMATS,
  type SummaryOptions,
} from './options.ts';

type Invoke = (work: CommandWork) => Promise<void>;

const RUN = 'a run: its id, the beginning of its id, or "latest"';
const DEFAULT_RUN = 'latest';

/** Registers every command, in the order of `--help`. A command's module loads when the command is run, not before. */
export function addCommands(program: Command, invoke: Invoke): void {
  addInit(program, invoke);
  addValidate(program, invoke);
  addPlan(program, invoke);
  addRun(program, invoke);
  addRetry(program, invoke);
  addCancel(program, invoke);
  addStatus(program, invoke);
  addShow(program, invoke);
  addSummary(program, invoke);
}

function addInit(program: Command, invoke: Invoke): void {
  program
    .command('init')
    .summary('write a small example to start from')
    .description('Writes a manifest, a document, a prompt and a schema to start from. Never overwrites a file.')
    .argument('[dir]', 'folder to write into', '.')
    .addHelpText('after', examples(['aieval init', 'into the current folder'], ['aieval init spec-review', 'into a new folder']))
    .action((dir: string) => invoke(async (io, globals) => (await import('./init.ts')).initCommand(io, globals, [dir])));
}

function addValidate(program: Command, invoke: Invoke): void {
  program
    .command('validate')
    .summary('check a manifest without calling anything')
    .description(
      'Checks a manifest with its prompts and schemas, and lists every problem with its place. Documents are found but not opened: ' +
        'plan reads them. Calls nobody and writes nothing.',
    )
    .argument('<manifest>', 'JSON, JSONC or YAML file')
    .addHelpText('after', examples(['aieval validate manifest.json', 'exit 0 when it can run, 2 when not']))
    .action((manifest: string) => invoke(async (io, globals) => (await import('./validate.ts')).validateCommand(io, globals, [manifest])));
}

function addPlan(program: Command, invoke: Invoke): void {
  program
    .command('plan')
    .summary('show what a run would do')
    .description(
      'Reads the documents and shows the jobs of a run, how many of their answers are known already, and the tokens of the rest. ' +
        'Calls no model.',
    )
    .argument('<manifest>', 'JSON, JSONC or YAML file')
    .option('--list', 'list every job')
    .addHelpText(
      'after',
      examples(
        ['aieval plan manifest.json', 'totals for each model'],
        ['aieval plan manifest.json --list', 'each job too, by the name that show takes'],
      ),
    )
    .action((manifest: string, options: PlanOptions) =>
      invoke(async (io, globals) => (await import('./plan.ts')).planCommand(io, globals, [manifest], options)),
    );
}

function addRun(program: Command, invoke: Invoke): void {
  program
    .command('run')
    .summary('evaluate: start, continue, or reuse')
    .description(
      'Evaluates what the manifest names. The same line again continues an unfinished run, or starts one that reuses every answer ' +
        'that still fits. Ctrl-C stops after the calls in flight; a second one leaves now. Nothing that was paid for is lost.',
    )
    .argument('<manifest>', 'JSON, JSONC or YAML file')
    .option('--new', 'start a new run even if one of the same content is unfinished')
    .option('--no-cache', "do not use other runs' answers")
    .option('--record <file>', 'write the answers as a cassette for the replay provider')
    .addOption(allowHostOption())
    .addOption(concurrencyOption())
    .option('--exit-zero', 'exit 0 when the gate is not met (only then)')
    .addHelpText(
      'after',
      examples(
        ['aieval run manifest.json', 'evaluate, or continue'],
        ['aieval run manifest.json --json > events.jsonl', 'for scripts'],
        ['aieval run manifest.json --record cassette.json', 'keep the answers for a replay'],
      ),
    )
    .action((manifest: string, options: RunOptions) =>
      invoke(async (io, globals) => (await import('./run.ts')).runCommand(io, globals, [manifest], options)),
    );
}

function addRetry(program: Command, invoke: Invoke): void {
  program
    .command('retry')
    .summary('try the failed jobs of a run again')
    .description('Queues the failed jobs of a run again and works on them. Answers that are there stay as they are.')
    .argument('[run]', RUN, DEFAULT_RUN)
    .option('--dlq', 'all failed jobs (the default)')
    .option('--reason <reason>', 'only jobs that failed for this reason; repeat it, or separate with commas', collectReasons)
    .option('--job <job>', 'only this job: document:task:model, or the beginning of an id; repeat it for more', collect)
    .addOption(allowHostOption())
    .addOption(concurrencyOption())
    .option('--exit-zero', 'exit 0 when the gate is not met (only then)')
    .addHelpText('after', examples(['aieval retry', 'all failed jobs of the latest run'], ['aieval retry --reason timeout', 'only those']))
    .action((run: string, options: RetryOptions) =>
      invoke(async (io, globals) => (await import('./retry.ts')).retryCommand(io, globals, [run], options)),
    );
}

function addCancel(program: Command, invoke: Invoke): void {
  program
    .command('cancel')
    .summary('stop a run for good')
    .description('Ends the queued work of a run at once; calls in flight finish and are kept. Doing it twice changes nothing.')
    .argument('[run]', RUN, DEFAULT_RUN)
    .addHelpText('after', examples(['aieval cancel', 'the latest run'], ['aieval cancel r-8kq2', 'this one']))
    .action((run: string) => invoke(async (io, globals) => (await import('./cancel.ts')).cancelCommand(io, globals, [run])));
}

function addStatus(program: Command, invoke: Invoke): void {
  program
    .command('status')
    .summary('show how a run stands')
    .description('Shows how a run stands: progress, models, workers, what waits and why. Works from any terminal, also after a crash.')
    .argument('[run]', RUN, DEFAULT_RUN)
    .option('-w, --watch', 'keep looking until the run ends')
    .option('-i, --interval <seconds>', 'time between two looks of --watch', positiveNumber, 2)
    .option('--exit-status', "exit with the run's own code: 0 pass, 1 gate not met, 3 incomplete")
    .addHelpText(
      'after',
      examples(['aieval status', 'the latest run'], ['aieval status --watch', 'until it ends'], ['aieval status --json', 'for scripts']),
    )
    .action((run: string, options: StatusOptions) =>
      invoke(async (io, globals) => (await import('./status.ts')).statusCommand(io, globals, [run], options)),
    );
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
    .option('--attempts', 'print every attempt and call')
    .addHelpText(
      'after',
      examples(
        ['aieval show specs/auth.md:ambiguity:fast', 'by name'],
        ['aieval show j3f9', 'by the beginning of its id'],
        ['aieval show j3f9 --prompt | less', 'what the model was asked'],
      ),
    )
    .action((job: string, options: ShowOptions) =>
      invoke(async (io, globals) => (await import('./show.ts')).showCommand(io, globals, [job], options)),
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
    .addHelpText(
      'after',
      examples(['aieval summary >> "$GITHUB_STEP_SUMMARY"', 'in a workflow'], ['aieval summary --format txt', 'in a terminal']),
    )
    .action((run: string, options: SummaryOptions) =>
      invoke(async (io, globals) => (await import('./summary.ts')).summaryCommand(io, globals, [run], options)),
    );
}

function allowHostOption(): Option {
  const help = 'in CI, a host that may be sent keys of your own naming; repeat it for more (env AIEVAL_ALLOW_HOSTS, commas)';
  return new Option('--allow-host <host>', help).argParser((text: string, before: readonly string[] = []) => {
    const host = allowedHost(text);
    if (host === null) throw new InvalidArgumentError(`Expected ${HOST_FORM}.`);
    return [...before, host];
  });
}

function concurrencyOption(): Option {
  return new Option('--concurrency <n>', 'calls at once in this process').argParser((text) => {
    if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('Expected an integer from 1 to 9999.');
    return Number(text);
  });
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError('Expected a number above 0.');
  return value;
}

function collectReasons(text: string, before: readonly Reason[] = []): readonly Reason[] {
  return [...before, ...text.split(',').map(reasonOf)];
}

function reasonOf(word: string): Reason {
  if (isReason(word)) return word;
  throw new InvalidArgumentError(`Did you mean ${nearest(word, REASONS, 1).join()}?`);
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

function examples(...lines: readonly (readonly [command: string, comment: string])[]): string {
  const width = Math.max(...lines.map(([command]) => command.length));
  return `\nExamples:\n${lines.map(([command, comment]) => `  ${command.padEnd(width)}   ${comment}`).join('\n')}\n\nExit codes: aieval --help`;
}
