import { type Command, Option } from 'commander';
import {
  allowHostOption,
  concurrencyOption,
  DEFAULT_RUN,
  examples,
  type Invoke,
  logFileOption,
  logLevelOption,
  maxCostOption,
  maxJobsOption,
  maxQueueDepthOption,
  metricsOption,
  positiveNumber,
  profileOption,
  RUN,
  selectOptions,
  tagsOption,
} from './command-parts.ts';
import { addBudget } from './commands-budget.ts';
import { addCompletion } from './commands-completion.ts';
import { addCancel, addPauseAndResume, addRetry, addStore, addWorker } from './commands-control.ts';
import { addDoctor } from './commands-doctor.ts';
import { addExtract, addQuote } from './commands-documents.ts';
import { addResults } from './commands-results.ts';
import { addScale } from './commands-scale.ts';
import { addCache, addGc } from './commands-store.ts';
import type { InitOptions, PlanOptions, RunOptions, StatusOptions, ValidateOptions } from './options.ts';

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
  addScale(program, invoke);
  addResults(program, invoke);
  addExtract(program, invoke);
  addQuote(program, invoke);
  addBudget(program, invoke);
  addStore(program, invoke);
  addCache(program, invoke);
  addGc(program, invoke);
  addDoctor(program, invoke);
  addCompletion(program, invoke);
}

function addInit(program: Command, invoke: Invoke): void {
  program
    .command('init')
    .summary('write a small example to start from')
    .description('Writes a manifest, a document, a prompt and a schema to start from. Overwrites nothing without --force.')
    .argument('[dir]', 'folder to write into', '.')
    .option('--example', 'a complete example with recorded answers: it runs without a key, a server or a network')
    .option('--force', 'write over files of these names')
    .addHelpText(
      'after',
      examples(
        ['aieval init', 'into the current folder'],
        ['aieval init spec-review', 'into a new folder'],
        ['aieval init demo --example', 'to look around without a key'],
      ),
    )
    .action((dir: string, options: InitOptions) =>
      invoke(async (io, globals) => (await import('../init/init.ts')).initCommand(io, globals, dir, options)),
    );
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
    .addOption(profileOption())
    .option('--strict', 'exit 2 on warnings, too')
    .addHelpText(
      'after',
      examples(
        ['aieval validate manifest.json', 'exit 0 when it can run, 2 when not'],
        ['aieval validate manifest.json --strict', 'in CI'],
      ),
    )
    .action((manifest: string, options: ValidateOptions) =>
      invoke(async (io, globals) => (await import('../validate.ts')).validateCommand(io, globals, manifest, options)),
    );
}

function addPlan(program: Command, invoke: Invoke): void {
  selectOptions(program.command('plan'))
    .summary('show what a run would do')
    .description(
      'Reads the documents and shows the jobs of a run, how many of their answers are known already, and what the rest will cost: ' +
        'expected, and at most with one try of each call. Exit 6 when the expected cost is above the budget. Calls no model.',
    )
    .argument('<manifest>', 'JSON, JSONC or YAML file')
    .option('--list', 'list every job')
    .option('--why <job>', 'why the answer to this job is known, or what is different from the nearest one that is')
    .option('-v, --verbose', 'say where each setting came from: flag, environment, manifest, user config or default')
    .option('--no-cache', "as if no other run's answers could be used")
    .addOption(profileOption())
    .addOption(maxCostOption())
    .addOption(maxJobsOption())
    .addOption(concurrencyOption())
    .addHelpText(
      'after',
      examples(
        ['aieval plan manifest.json', 'tokens and cost of each model'],
        ['aieval plan manifest.json --max-cost 5', 'whether USD 5 will do'],
        ['aieval plan manifest.json --list', 'each job too, by the name that show takes'],
        ['aieval plan manifest.json --why j3f9', 'why a job would be asked again'],
      ),
    )
    .action((manifest: string, options: PlanOptions) =>
      invoke(async (io, globals) => (await import('../plan/plan.ts')).planCommand(io, globals, manifest, options)),
    );
}

function addRun(program: Command, invoke: Invoke): void {
  selectOptions(program.command('run'))
    .summary('evaluate: start, continue, or reuse')
    .description(
      'Evaluates what the manifest names. The same line again continues an unfinished run, or starts one that reuses every answer ' +
        'that still fits. Ctrl-C stops after the calls in flight; a second one leaves now. Nothing that was paid for is lost.',
    )
    .argument('<manifest>', 'JSON, JSONC or YAML file')
    .option('--new', 'start a new run even if one of the same content is unfinished')
    .option('--no-cache', "do not use other runs' answers, and keep none for them")
    .option('--record <file>', 'write the answers as a cassette for the replay provider')
    .addOption(profileOption())
    .addOption(allowHostOption())
    .addOption(concurrencyOption())
    .addOption(tagsOption())
    .addOption(maxCostOption())
    .addOption(maxJobsOption())
    .addOption(maxQueueDepthOption())
    .addOption(metricsOption())
    .addOption(logFileOption())
    .addOption(logLevelOption())
    .option('--wait', 'stay, however long it takes, when a provider asks to wait until some time')
    .option('--exit-zero', 'exit 0 when the gate is not met (only then)')
    .addHelpText(
      'after',
      examples(
        ['aieval run manifest.json', 'evaluate, or continue'],
        ['aieval run manifest.json --max-cost 5', 'spend USD 5 at most'],
        ['aieval run manifest.json --first 3', 'three jobs; the whole run reuses their answers'],
        ['aieval run manifest.json --json > events.jsonl', 'for scripts'],
        ['aieval run manifest.json --record cassette.json', 'keep the answers for a replay'],
      ),
    )
    .action((manifest: string, options: RunOptions) =>
      invoke(async (io, globals) => (await import('../run/run.ts')).runCommand(io, globals, manifest, options)),
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
      invoke(async (io, globals) => (await import('../status/status.ts')).statusCommand(io, globals, run, options)),
    );
}
