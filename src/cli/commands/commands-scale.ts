import { type Command, InvalidArgumentError } from 'commander';
import { concurrencyOption, examples, type Invoke, positiveNumber, tagsOption } from './command-parts.ts';
import type { ScaleOptions } from './options.ts';
import { SCALE_DEFAULTS } from './scale-defaults.ts';

/** `scale`: advice for an autoscaler. */
export function addScale(program: Command, invoke: Invoke): void {
  program
    .command('scale')
    .summary('how many workers should be there')
    .description(
      'Prints how many workers should be there for the open jobs of all runs to be done in time: from the queue, the running jobs, ' +
        'how long jobs took so far and what limits let run at once. Small changes change nothing; it is never below what holds claimed work.',
    )
    .option('--target <minutes>', 'time in which the open jobs should be done', positiveNumber, SCALE_DEFAULTS.target)
    .option('--min <n>', 'never fewer', fewWorkers, SCALE_DEFAULTS.min)
    .option('--max <n>', 'never more, but for those that hold work', fewWorkers, SCALE_DEFAULTS.max)
    .addOption(concurrencyOption('calls at once of each worker; default: what the manifests say'))
    .addOption(
      tagsOption('of the workers that are meant, such as gpu,large: counts what these may do; default: without tags (env AIEVAL_TAGS)'),
    )
    .addHelpText(
      'after',
      examples(
        ['aieval scale', 'the number, on stdout alone'],
        ['aieval scale --target 30 --max 4', 'in half an hour, by four at most'],
        ['docker compose up -d --scale worker=$(aieval scale -q)', 'from a timer'],
        ['aieval scale --tags gpu', 'of workers that run with --tags gpu'],
        ['aieval scale --json', 'with what it was made of'],
      ),
    )
    .action((options: ScaleOptions) =>
      invoke(async (io, globals) => (await import('../status/scale.ts')).scaleCommand(io, globals, options)),
    );
}

function fewWorkers(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('Expected a whole number from 0 to 9999.');
  return Number(text);
}
