import { type Command, InvalidArgumentError, Option } from 'commander';
import { nearest } from '../../domain/nearest.ts';
import {
  allowHostOption,
  collect,
  collectGlobs,
  collectReasons,
  concurrencyOption,
  DEFAULT_RUN,
  examples,
  type Invoke,
  JOB,
  logFileOption,
  logLevelOption,
  maxCostOption,
  maxQueueDepthOption,
  metricsOption,
  RUN,
  tagsOption,
} from './command-parts.ts';
import { type CancelOptions, type RetryOptions, SETTINGS, type SettingName, type StoreCopyOptions, type WorkerOptions } from './options.ts';

/** `worker`: a further process at work. */
export function addWorker(program: Command, invoke: Invoke): void {
  program
    .command('worker')
    .summary('work on runs that were started elsewhere')
    .description(
      'Works on a run as one more process until nothing of it is left. Without a run: on every unfinished run of the database, oldest ' +
        'first, also on those that are started later, until it is stopped. Needs no manifest file; keys come from this environment.',
    )
    .argument('[run]', RUN)
    .option('--exit-when-idle', 'without a run: leave when no run has open work')
    .addOption(allowHostOption())
    .addOption(concurrencyOption())
    .addOption(tagsOption())
    .addOption(metricsOption())
    .addOption(logFileOption())
    .addOption(logLevelOption())
    .addHelpText(
      'after',
      examples(
        ['aieval worker', 'on all runs, until Ctrl-C'],
        ['aieval worker r-8kq2', 'on this one, until it is done; exits as run does'],
        ['aieval worker --exit-when-idle', 'on all; exit 0, or 3, 4, 6 when the rest needs a person'],
        ['aieval worker --tags gpu', 'also on tasks that require it'],
        ['aieval worker --metrics 127.0.0.1:9464', 'watched by Prometheus'],
      ),
    )
    .action((run: string | undefined, options: WorkerOptions) =>
      invoke(async (io, globals) => (await import('../run/worker.ts')).workerCommand(io, globals, run ?? null, options)),
    );
}

/** `retry`: asks again. */
export function addRetry(program: Command, invoke: Invoke): void {
  program
    .command('retry')
    .summary('ask jobs of a run again')
    .description(
      'Queues the failed jobs of a run again and works on them. With --failed: the jobs whose answer did not pass its checks, which ' +
        'pays for a new answer each; the old result is kept and comes back if the retry is cancelled, and while the job waits it counts as ' +
        'open. What passed stays as it is. Says first what it is expected to cost, and at most; --max-cost counts what the run spent already.',
    )
    .argument('[run]', RUN, DEFAULT_RUN)
    .addOption(new Option('--dlq', 'all jobs that could not be evaluated (the default)').conflicts('failed'))
    .addOption(
      new Option('--reason <reason>', 'only jobs that failed for this reason; repeat it, or separate with commas')
        .argParser(collectReasons)
        .conflicts('failed'),
    )
    .option('--failed', 'jobs with verdict fail: pays for a new answer')
    .option('--job <job>', JOB, collect)
    .option('--dry-run', 'say what would be asked and what it costs, and change nothing')
    .addOption(maxCostOption())
    .addOption(maxQueueDepthOption())
    .addOption(allowHostOption())
    .addOption(concurrencyOption())
    .addOption(tagsOption())
    .addOption(metricsOption())
    .addOption(logFileOption())
    .addOption(logLevelOption())
    .option('--exit-zero', 'exit 0 when the gate is not met (only then)')
    .addHelpText(
      'after',
      examples(
        ['aieval retry', 'what could not be evaluated in the latest run'],
        ['aieval retry --reason timeout', 'only those'],
        ['aieval retry --failed --dry-run', 'what new answers to all that failed would cost'],
        ['aieval retry --failed --job j3f9', 'a new answer for this failed job'],
      ),
    )
    .action((run: string, options: RetryOptions) =>
      invoke(async (io, globals) => (await import('../run/retry.ts')).retryCommand(io, globals, run, options)),
    );
}

/** `cancel`: ends a run, or jobs of it. */
export function addCancel(program: Command, invoke: Invoke): void {
  program
    .command('cancel')
    .summary('stop a run, or jobs of it, for good')
    .description(
      'Ends the queued work of a run at once; calls in flight finish and are kept. With filters: only of the jobs that all of them ' +
        'name. Doing it twice changes nothing.',
    )
    .argument('[run]', RUN, DEFAULT_RUN)
    .option('--now', 'end calls in flight too, in every process; they may be billed all the same')
    .option('--job <job>', JOB, collect)
    .option('--document <glob>', 'only jobs of documents that this matches; repeat it for more', collectGlobs)
    .option('--task <name>', 'only jobs of this task; repeat it for more', collect)
    .option('--model <name>', 'only jobs of this model; repeat it for more', collect)
    .option('--dry-run', 'say what would be cancelled, and change nothing')
    .addHelpText(
      'after',
      examples(
        ['aieval cancel', 'the latest run'],
        ['aieval cancel r-8kq2 --now', 'this one, with its calls in flight'],
        ["aieval cancel --document 'specs/*' --model slow", 'what is open of these'],
      ),
    )
    .action((run: string, options: CancelOptions) =>
      invoke(async (io, globals) => (await import('../run/cancel.ts')).cancelCommand(io, globals, run, options)),
    );
}

/** `pause` and `resume`: the state that every process looks at before it starts anything. */
export function addPauseAndResume(program: Command, invoke: Invoke): void {
  program
    .command('pause')
    .summary('start nothing more of a run for now')
    .description('Stops every process from starting more of a run; calls in flight finish, then the processes leave with exit 7.')
    .argument('[run]', RUN, DEFAULT_RUN)
    .addHelpText('after', examples(['aieval pause', 'the latest run'], ['aieval pause r-8kq2', 'this one']))
    .action((run: string) => invoke(async (io, globals) => (await import('../run/pause.ts')).pauseCommand(io, globals, run)));
  program
    .command('resume')
    .summary('let a paused run go on')
    .description(
      'Lets a paused run go on, and lets its providers be asked again, also one that asked to wait. It calls nobody itself: a worker ' +
        'that is there takes it up, or run and worker do.',
    )
    .argument('[run]', RUN, DEFAULT_RUN)
    .addHelpText('after', examples(['aieval resume', 'the latest run'], ['aieval resume r-8kq2', 'this one']))
    .action((run: string) => invoke(async (io, globals) => (await import('../run/pause.ts')).resumeCommand(io, globals, run)));
}

/** `store set` and `store show`: what holds for all runs and processes on a database. */
export function addStore(program: Command, invoke: Invoke): void {
  const store = program
    .command('store')
    .summary('show or change what holds for all runs')
    .description('Settings of the database, which hold for all runs and all processes on it.')
    .addHelpText('after', examples(['aieval store show', 'the settings'], ['aieval store set maxRunning 8', 'change one']));
  store
    .command('set')
    .summary('change a setting')
    .description('Changes a setting. maxRunning: how many steps may run at once, over all runs and processes; none for no bound.')
    .argument('<name>', `the setting: ${SETTINGS.join(', ')}`, settingName)
    .argument('<value>', 'an integer from 1, or none', settingValue)
    .addHelpText(
      'after',
      examples(['aieval store set maxRunning 8', 'at most eight calls at once'], ['aieval store set maxRunning none', 'no bound']),
    )
    .action((name: SettingName, value: number | 'none') =>
      invoke(async (io, globals) =>
        (await import('../upkeep/store-set.ts')).storeSetCommand(io, globals, name, value === 'none' ? null : value),
      ),
    );
  store
    .command('show')
    .summary('show the settings')
    .description('Shows the settings of the database.')
    .addHelpText('after', examples(['aieval store show', 'a line for each'], ['aieval store show --json', 'for scripts']))
    .action(() => invoke(async (io, globals) => (await import('../upkeep/store-set.ts')).storeShowCommand(io, globals)));
  addStoreCopy(store, invoke);
}

function addStoreCopy(store: Command, invoke: Invoke): void {
  store
    .command('copy')
    .summary('copy a whole store into another: a file to a server, or back')
    .description(
      'Copies everything that counts into a store that holds nothing yet: runs and what is left of them to do, answers, what was spent, ' +
        'limits. Then both are compared, row by row. Nobody may work on either meanwhile. SRC stays as it is; a file that went to a server ' +
        'says so from then on. A copy that was broken off ' +
        'goes on with the same command, and until it is whole nothing else opens it.',
    )
    .argument('<src>', 'store to copy: path of a SQLite file, or postgres:// URL')
    .argument('<dst>', 'store to fill: the same; it is created where it is not there')
    .addOption(new Option('--verify', 'only compare the two').conflicts('dryRun'))
    .option('--dry-run', 'only say what would be copied, and whether DST can take it')
    .addHelpText(
      'after',
      examples(
        ['aieval store copy .aieval/aieval.db postgres://ann@db.lab/spec', 'moves up to a server'],
        ['aieval store copy --verify .aieval/aieval.db postgres://ann@db.lab/spec', 'are they the same?'],
      ),
    )
    .action((source: string, target: string, options: StoreCopyOptions) =>
      invoke(async (io, globals) =>
        (await import('../upkeep/store-copy.ts')).storeCopyCommand(io, globals, { source, target, ...options }),
      ),
    );
}

function settingName(text: string): SettingName {
  const found = SETTINGS.find((name) => name === text);
  if (found === undefined) throw new InvalidArgumentError(`Did you mean ${nearest(text, SETTINGS, 1).join()}?`);
  return found;
}

function settingValue(text: string): number | 'none' {
  if (text === 'none') return text;
  const value = Number(text);
  if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('Expected an integer from 1, or none.');
}
