import type { Command } from 'commander';
import { examples, type Invoke } from './command-parts.ts';

/** `doctor`: what is wrong here. */
export function addDoctor(program: Command, invoke: Invoke): void {
  program
    .command('doctor')
    .summary('find out what is wrong with the storage')
    .description(
      'Checks versions, file system, disk, the database (pages, references, totals), its lock and its log, workers, leases, and paid ' +
        'answers that wait outside it. Says what helps. Changes nothing, and works also where nothing was run yet.',
    )
    .addHelpText(
      'after',
      examples(['aieval doctor', 'exit 0 when there is no problem, 8 when there is one'], ['aieval doctor --json', 'for scripts']),
    )
    .action(() => invoke(async (io, globals) => (await import('./doctor.ts')).doctorCommand(io, globals)));
}
