import { type Command, Option } from 'commander';
import { DEFAULT_RUN, examples, type Invoke, RUN } from './command-parts.ts';
import { type BudgetResetOptions, type SettleOptions, UNKNOWN_COSTS } from './options.ts';

/** `budget`: what groups of runs spent, and care of the money ledger. */
export function addBudget(program: Command, invoke: Invoke): void {
  const budget = program
    .command('budget')
    .summary('what budget groups spent; calls of unknown cost')
    .description('Shows and resets what groups of runs spent (budget.group of a manifest), and books calls of unknown outcome.')
    .addHelpText(
      'after',
      examples(
        ['aieval budget show', 'what every group spent'],
        ['aieval budget settle-unknown --at worst', 'calls whose outcome nobody knows'],
      ),
    );
  addShow(budget, invoke);
  addReset(budget, invoke);
  addSettleUnknown(budget, invoke);
}

function addShow(budget: Command, invoke: Invoke): void {
  budget
    .command('show')
    .summary('show what budget groups spent')
    .description('Shows what the runs of each budget group spent, month by month (UTC), with what is reserved and uncertain.')
    .argument('[group]', 'only this group')
    .addHelpText(
      'after',
      examples(['aieval budget show', 'all groups'], ['aieval budget show team', 'this one'], ['aieval budget show --json', 'for scripts']),
    )
    .action((group: string | undefined) =>
      invoke(async (io, globals) => (await import('../upkeep/budget-groups.ts')).budgetShowCommand(io, globals, group ?? null)),
    );
}

function addReset(budget: Command, invoke: Invoke): void {
  budget
    .command('reset')
    .summary('let a budget group begin at zero')
    .description(
      'What a group spent so far counts against its budget no more; what is in flight or uncertain still does. Calls and runs keep ' +
        'what they cost.',
    )
    .argument('<group>', 'the group')
    .option('-y, --yes', 'do not ask first')
    .addHelpText('after', examples(['aieval budget reset team', 'asks first'], ['aieval budget reset team --yes', 'in a script']))
    .action((group: string, options: BudgetResetOptions) =>
      invoke(async (io, globals) => (await import('../upkeep/budget-groups.ts')).budgetResetCommand(io, globals, group, options)),
    );
}

function addSettleUnknown(budget: Command, invoke: Invoke): void {
  budget
    .command('settle-unknown')
    .summary('book calls of unknown outcome at an estimate')
    .description(
      'Books the calls of a run whose outcome nobody knows, because their process died or their answer never came: at the most ' +
        'they can have cost, at what the calls of their model cost on average, or at nothing. An outcome that comes later replaces it.',
    )
    .argument('[run]', RUN, DEFAULT_RUN)
    .addOption(new Option('--at <cost>', 'what each of them is taken to have cost').choices(UNKNOWN_COSTS).makeOptionMandatory())
    .addHelpText(
      'after',
      examples(
        ['aieval budget settle-unknown --at worst', 'the latest run, on the safe side'],
        ['aieval budget settle-unknown r-8kq2 --at zero', 'the invoice says that they were free'],
      ),
    )
    .action((run: string, options: SettleOptions) =>
      invoke(async (io, globals) => (await import('../upkeep/budget.ts')).settleUnknownCommand(io, globals, run, options)),
    );
}
