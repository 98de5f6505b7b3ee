import { type Command, Option } from 'commander';
import {
  allowHostOption,
  concurrencyOption,
  DEFAULT_RUN,
  examples,
  type Invoke,
  maxCostOption,
  positiveNumber,
  RUN,
} from './command-parts.ts';
import { addBudget } from './commands-budget.ts';
import { addCancel, addPauseAndResume, addRetry, addStore, addWorker } from './commands-control.ts';
import { addDoctor } from './commands-doctor.ts';
import { addExtract, addQuote } from './commands-documents.ts';
import { addCache, addGc } from './commands-store.ts';
import {
  type PlanOptions,
  type RunOptions,
  type ShowOptions,
  type StatusOptions,
  SUMMARY_FORMATS,
  type SummaryOptions,
} from './options.ts';

/** Registers every command, in the order of `--help`. A command's module loads when the command is run, not before. */
export function addCommands(program: Command, invoke: Invoke): void {
  addInit(program, invoke);
  addValidate(program, invoke);
  addPlan(program, invoke);
  addRun(program, invoke);
  addWorker(program, invoke);
  addRetry(program, invoke);
  addCancel(program, invoke);
  addPauseAndResume(program, invoke);
  addStatus(program, invoke);
  addShow(program, invoke);
  addSummary(program, invoke);
  addExtract(program, invoke);
  addQuote(program, invoke);
  addBudget(program, invoke);
  addStore(program, invoke);
  addCache(program, invoke);
  addGc(program, invoke);
  addDoctor(program, invoke);
}

function addInit(program: Command, invoke: Invoke): void {
  program
    .command('init')
    .summary('write a small example to start from')
    .description('Writes a manifest, a document, a prompt and a schema to start from. Never overwrites a file.')
    .argument('[dir]', 'folder to write into', '.')
    .addHelpText('after', examples(['aieval init', 'into the current folder'], ['aieval init spec-review', 'into a new folder']))
    .action((dir: string) => invoke(async (io, globals) => (await import('./init.ts')).initCommand(io, globals, dir)));
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
    .action((manifest: string) => invoke(async (io, globals) => (await import('./validate.ts')).validateCommand(io, globals, manifest)));
}

function addPlan(program: Command, invoke: Invoke): void {
  program
    .command('plan')
    .summary('show what a run would do')
    .description(
      'Reads the documents and shows the jobs of a run, how many of their answers are known already, and what the rest will cost: ' +
        'expected, and in the worst case. Exit 6 when the expected cost is above the budget. Calls no model.',
    )
    .argument('<manifest>', 'JSON, JSONC or YAML file')
    .option('--list', 'list every job')
    .addOption(maxCostOption())
    .addHelpText(
      'after',
      examples(
        ['aieval plan manifest.json', 'tokens and cost of each model'],
        ['aieval plan manifest.json --max-cost 5', 'whether USD 5 will do'],
        ['aieval plan manifest.json --list', 'each job too, by the name that show takes'],
      ),
    )
    .action((manifest: string, options: PlanOptions) =>
      invoke(async (io, globals) => (await import('./plan.ts')).planCommand(io, globals, manifest, options)),
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
    .addOption(maxCostOption())
    .option('--wait', 'stay, however long it takes, when a provider asks to wait until some time')
    .option('--exit-zero', 'exit 0 when the gate is not met (only then)')
    .addHelpText(
      'after',
      examples(
        ['aieval run manifest.json', 'evaluate, or continue'],
        ['aieval run manifest.json --max-cost 5', 'spend USD 5 at most'],
        ['aieval run manifest.json --json > events.jsonl', 'for scripts'],
        ['aieval run manifest.json --record cassette.json', 'keep the answers for a replay'],
      ),
    )
    .action((manifest: string, options: RunOptions) =>
      invoke(async (io, globals) => (await import('./run.ts')).runCommand(io, globals, manifest, options)),
    );
}

function addStatus(program: Command, invoke: Invoke): void {
  program
    .command('status')
    .summary('show how a run stands')
    .description('Shows how a run stands: progress, models, workers, what waits and why. Works from any terminal, also after a crash.')
    .argument('[run]', RUN, DEFAULT_RUN)
    .addOption(new Option('-a, --all', 'one line for each run of the database, newest first').conflicts(['watch', 'exitStatus']))
    .option('-w, --watch', 'keep looking until the run ends')
    .option('-i, --interval <seconds>', 'time between two looks of --watch', positiveNumber, 2)
    .option(
      '--exit-status',
      "exit with the run's own code: 0 pass, 1 gate not met, 3 incomplete; of a run that stopped that of what stopped it (4, 6, 7)",
    )
    .addHelpText(
      'after',
      examples(
        ['aieval status', 'the latest run'],
        ['aieval status --watch', 'until it ends'],
        ['aieval status --all', 'every run'],
        ['aieval status --json', 'for scripts'],
      ),
    )
    .action((run: string, options: StatusOptions) =>
      invoke(async (io, globals) => (await import('./status.ts')).statusCommand(io, globals, run, options)),
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
    .option('--step <step>', 'of a document that was asked in parts: the step whose prompt or answer is meant, such as chunk-2')
    .option('--attempts', 'print every attempt and call')
    .addHelpText(
      'after',
      examples(
        ['aieval show specs/auth.md:ambiguity:fast', 'by name'],
        ['aieval show j3f9', 'by the beginning of its id'],
        ['aieval show j3f9 --prompt | less', 'what the model was asked'],
        ['aieval show j3f9 --raw --step chunk-2', 'what it said of the second part'],
      ),
    )
    .action((job: string, options: ShowOptions) =>
      invoke(async (io, globals) => (await import('./show.ts')).showCommand(io, globals, job, options)),
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
      invoke(async (io, globals) => (await import('./summary.ts')).summaryCommand(io, globals, run, options)),
    );
}
