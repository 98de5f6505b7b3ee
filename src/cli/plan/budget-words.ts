import { roundedUpUsd } from '../../domain/budget-bounds.ts';
import { UserError } from '../../domain/errors.ts';
import type { ResolvedManifest } from '../../domain/manifest/resolved.ts';
import { usdOf } from '../../domain/money.ts';
import { exceeds, type Outlook } from '../../engine/budget-outlook.ts';
import { EXIT } from '../exit-codes.ts';
import { amountTexts, moneyTexts } from '../terminal/format.ts';
import { shellWord } from '../terminal/shell-word.ts';

/** `manifestPath` as it is to be typed, `options` those that the run was planned with. */
type Named = {
  readonly manifest: ResolvedManifest;
  readonly manifestPath: string;
  readonly options?: readonly string[];
  /** How many of the first jobs take this share of the whole cost; 0: not even one does. */
  readonly firstJobs?: (share: number) => number;
};

/** Why a run is not worth starting: what is expected is more than its budget. `null` when it is not. */
export function expectedTooMuch(bounds: readonly Outlook[], named: Named): UserError | null {
  const [first, ...others] = bounds.filter((bound) => exceeds(bound, bound.expected));
  if (first === undefined) return null;
  const message = [first, ...others].map((bound) => sentence('expected', bound, named)).join('; ');
  return new UserError({ code: 'E19', exitCode: EXIT.budget, message, next: nextSteps(first, named) });
}

/** What may stop the run before it is done: its worst case is more than its budget. */
export function worstTooMuch(bounds: readonly Outlook[], named: Named): string[] {
  return bounds
    .filter((bound) => exceeds(bound, bound.worst) && !exceeds(bound, bound.expected))
    .map((bound) => `${sentence('worst', bound, named)}: the run may stop before it is done`);
}

function sentence(kind: 'expected' | 'worst', outlook: Outlook, named: Named): string {
  const { bound, used, limit } = outlook;
  const what = kind === 'worst' ? 'worst case' : bound === 'tokens' ? 'expected use' : 'expected cost';
  const [amount = '', most = '', before = ''] = texts(outlook, [outlook[kind] ?? 0, limit, used]);
  return `${what} ${amount} exceeds ${budgetName(outlook, most, named)}${used === 0 ? '' : `, of which ${before} is used already`}`;
}

function texts({ bound }: Outlook, amounts: readonly number[]): string[] {
  return bound === 'tokens' ? amountTexts(amounts).map((text) => `${text} tokens`) : moneyTexts(amounts);
}

function budgetName({ bound }: Outlook, limit: string, { manifest }: Named): string {
  return bound === 'group' ? `the ${limit} of budget group "${manifest.budget?.group?.name ?? ''}"` : `the budget of ${limit}`;
}

const SMALLER = 'set "sample": { "fraction": 0.2 } in the manifest';

function nextSteps(bound: Outlook, named: Named): string[] {
  const fewer = fewerJobs(bound, named);
  if (bound.bound === 'usd') {
    const most = roundedUpUsd(usdOf(bound.used + (bound.worst ?? bound.expected ?? 0)));
    return [commandWith(named, ['--max-cost', String(most)]), ...fewer];
  }
  if (bound.bound === 'tokens') return ['raise budget.tokens in the manifest', ...fewer];
  const reset = bound.used === 0 ? [] : [`aieval budget reset ${shellWord(named.manifest.budget?.group?.name ?? '')}`];
  return ['raise budget.group.usd in the manifest', ...reset, ...fewer];
}

/** As many jobs as the budget will do for; where that is none, a part of the documents. */
function fewerJobs({ limit, used, expected }: Outlook, named: Named): string[] {
  const first = named.firstJobs?.((limit - used) / (expected ?? Number.POSITIVE_INFINITY)) ?? 0;
  return [first > 0 ? commandWith(named, ['--first', String(first)]) : SMALLER];
}

/** The run with these options, which take the place of those of the same name. */
function commandWith({ manifestPath, options = [] }: Named, [name = '', value = '']: readonly string[]): string {
  const at = options.indexOf(name);
  const others = at === -1 ? options : [...options.slice(0, at), ...options.slice(at + 2)];
  return ['aieval run', ...[manifestPath, ...others, name, value].map(shellWord)].join(' ');
}
