import { type GroupBudget, monthOf } from '../../domain/budget.ts';
import { UserError } from '../../domain/errors.ts';
import { jsonLine, oneLine } from '../../domain/hostile-text.ts';
import { usdOf } from '../../domain/money.ts';
import { nearest } from '../../domain/nearest.ts';
import type { GroupMonth, RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { BudgetResetOptions } from '../commands/options.ts';
import { canAsk, confirm } from '../confirm.ts';
import { withStore } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { money } from '../terminal/format.ts';
import { usableColumns } from '../terminal/look.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { painter } from '../terminal/style.ts';
import { type Column, tableLines } from '../terminal/table.ts';

const OFF_TERMINAL_COLUMNS = 200;
const CLOSEST = 3;

/** A budget group: what it may spend by the newest run that names it, and what it spent, newest month first. */
type Group = { readonly name: string; readonly budget: GroupBudget | null; readonly months: readonly GroupMonth[] };

/** `aieval budget show [GROUP]`: what groups of runs spent. Returns the exit code. */
export async function budgetShowCommand(io: CliIo, globals: Globals, name: string | null): Promise<number> {
  return await withStore(io, globals, async (store) => {
    const groups = await readGroups(store);
    const shown = name === null ? groups : [findGroup(groups, name)];
    if (globals.json) io.stdout.write(`${jsonLine({ v: 1, groups: shown.map(groupRecord) })}\n`);
    else io.stdout.write(`${groupLines(shown, usableColumns(io.stdout, OFF_TERMINAL_COLUMNS), globals.colour.stdout).join('\n')}\n`);
    return EXIT.pass;
  });
}

/** `aieval budget reset GROUP`: what it spent so far counts no more. Returns the exit code. */
export async function budgetResetCommand(io: CliIo, globals: Globals, name: string, { yes }: BudgetResetOptions): Promise<number> {
  return await withStore(io, globals, async (store) => {
    const group = findGroup(await readGroups(store), name);
    const spent = counting(group, io.now());
    const reset = yes === true || (await agreed(io, name, spent)) ? await store.resetBudgetGroup(name) : false;
    if (globals.json) io.stdout.write(`${jsonLine({ v: 1, group: name, reset, spentUsd: usdOf(spent) })}\n`);
    else if (!globals.quiet) io.stdout.write(reset ? `${money(spent)} of group ${name} counts no more.\n` : 'Nothing was changed.\n');
    return EXIT.pass;
  });
}

async function agreed(io: CliIo, name: string, spent: number): Promise<boolean> {
  if (canAsk(io))
    return await confirm(io, `Count the ${money(spent)} that group ${name} spent no more, so that its runs may spend as much again?`);
  const message = `budget reset would let group ${name} spend ${money(spent)} again; nothing was changed, because nobody can be asked here.`;
  const next = [`aieval budget reset ${shellWord(name)} --yes`];
  throw new UserError({ code: 'E36', exitCode: EXIT.usage, message, next });
}

async function readGroups(store: Pick<Store, 'budgetGroups' | 'listRuns'>): Promise<readonly Group[]> {
  const months = await store.budgetGroups();
  const budgets = budgetsOf(await store.listRuns());
  const names = [...new Set([...months.map(({ group }) => group), ...budgets.keys()])].sort();
  return names.map((name) => ({
    name,
    budget: budgets.get(name) ?? null,
    months: months.filter(({ group }) => group === name),
  }));
}

/** By the newest run of each; the list is newest first. */
function budgetsOf(runs: readonly RunRow[]): ReadonlyMap<string, GroupBudget> {
  const budgets = new Map<string, GroupBudget>();
  for (const { settings } of runs) {
    const group = settings.budget?.group ?? null;
    if (group !== null && !budgets.has(group.name)) budgets.set(group.name, group);
  }
  return budgets;
}

function findGroup(groups: readonly Group[], name: string): Group {
  const found = groups.find((group) => group.name === name);
  if (found !== undefined) return found;
  const names = groups.map((group) => group.name);
  const known = names.length === 0 ? 'no run has named one yet' : `there is ${nearest(name, names, CLOSEST).join(', ')}`;
  const next = ['aieval budget show'];
  throw new UserError({
    code: 'E31',
    exitCode: EXIT.usage,
    message: `no run ever named the budget group "${oneLine(name)}"; ${known}`,
    next,
  });
}

/** What counts against the group's budget now, as far as it is spent. */
function counting({ budget, months }: Group, nowMs: number): number {
  const counted = budget?.per === 'month' ? months.filter(({ month }) => month === monthOf(nowMs)) : months;
  return counted.reduce((sum, { spentNanoUsd }) => sum + spentNanoUsd, 0);
}

function groupRecord({ name, budget, months }: Group): object {
  return {
    name,
    budgetUsd: budget === null ? null : usdOf(budget.nanoUsd),
    per: budget?.per ?? null,
    months: months.map(({ month, spentNanoUsd, reservedNanoUsd, uncertainNanoUsd }) => ({
      month,
      spentUsd: usdOf(spentNanoUsd),
      reservedUsd: usdOf(reservedNanoUsd),
      uncertainUsd: usdOf(uncertainNanoUsd),
    })),
  };
}

const AMOUNTS = ['SPENT', 'RESERVED', 'UNCERTAIN', 'BUDGET'].map((title) => ({ title, align: 'right' as const }));
const HEAD: readonly Column[] = [{ title: 'GROUP' }, { title: 'MONTH' }, ...AMOUNTS];

function groupLines(groups: readonly Group[], columns: number, colour: boolean): string[] {
  if (groups.length === 0) return ['No run has named a budget group yet (budget.group).'];
  const [head = '', ...rows] = tableLines(HEAD, groups.flatMap(groupRows), columns);
  return [painter(colour)('bold', head), ...rows];
}

function groupRows({ name, budget, months }: Group): string[][] {
  const limit = budget === null ? '' : `${money(budget.nanoUsd)}${budget.per === 'month' ? ' a month' : ' in all'}`;
  if (months.length === 0) return [[name, '', money(0), money(0), money(0), limit]];
  return months.map(({ month, spentNanoUsd, reservedNanoUsd, uncertainNanoUsd }) => [
    name,
    month,
    ...[spentNanoUsd, reservedNanoUsd, uncertainNanoUsd].map(money),
    limit,
  ]);
}
