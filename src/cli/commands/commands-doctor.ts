import type { Command } from 'commander';
import { allowHostOption, examples, type Invoke, profileOption } from './command-parts.ts';
import type { DoctorOptions } from './options.ts';

/** `doctor`: what is wrong here. */
export function addDoctor(program: Command, invoke: Invoke): void {
  program
    .command('doctor')
    .summary('find out what is wrong: storage, manifest, keys, endpoints')
    .description(
      'Checks versions, file system, disk, the database (pages, references, totals), its lock and its log, workers, leases, paid answers ' +
        'that wait outside it, folders, clock and proxies; of a manifest its prices, and whether its keys are set and may go where they ' +
        'are to go. Says what helps. Changes nothing, stores nothing, and works also where nothing was run yet.',
    )
    .argument('[manifest]', 'a manifest, to check its keys and endpoints as well')
    .option('--online', "ask the manifest's endpoints, and make one small call to each model: a fraction of a cent")
    .addOption(profileOption())
    .addOption(allowHostOption())
    .addHelpText(
      'after',
      examples(
        ['aieval doctor', 'exit 0 when there is no problem, 8 when storage has one'],
        ['aieval doctor manifest.json --online', 'keys, endpoints and models, too; exit 4 when one fails'],
        ['aieval doctor --json', 'for scripts'],
      ),
    )
    .action((manifest: string | undefined, options: DoctorOptions) =>
      invoke(async (io, globals) => (await import('../doctor/doctor.ts')).doctorCommand(io, globals, manifest ?? null, options)),
    );
}
