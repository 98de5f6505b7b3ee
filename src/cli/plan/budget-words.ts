import { roundedUpUsd } from '../../domain/budget-bounds.ts';
import { UserError } from '../../domain/errors.ts';
import type { ResolvedManifest } from '../../domain/manifest/resolved.ts';
import { usdOf } from '../../domain/money.ts';
import { exceeds, type Outlook } from '../../engine/budget-outlook.ts';
import type { BoundOrigins } from '../config/bound-origins.ts';
import { EXIT } from '../exit-codes.ts';
import { amountTexts, moneyTexts } from '../terminal/format.ts';
import { shellWord } from '../terminal/shell-word.ts';

/** `manifestPath` as it is to be typed, `options` those that the run was planned with. */
type Named = {
  readonly manifest: ResolvedManifest;
  readonly manifestPath: string;
  /** Who stated the bounds, where that is known. */
  readonly origins?: BoundOrigins;
  readonly options?: readonly string[];
  /** How many of the first jobs take this share of the whole cost; 0: not even one does. */
  readonly firstJobs?: (share: number) => number;
};

/** Why a run is not worth starting: what is expected is more than its budget. `null` when it is not. */
export function expectedTooMuch(bounds: readonly Outlook[], named: Named): UserError | null {
  const broken = bounds.filter((bound) => exceeds(bound, bound.expected));
  if (broken.length === 0) return null;
  const message = broken.map((bound) => expectedText(bound, named)).join('; ');
  return new UserError({ code: 'E19', exitCode: EXIT.budget, message, next: nextSteps(broken, named) });
}

/** What may stop the run before it is done: one try of each of its calls may take more than its budget. */
export function worstTooMuch(bounds: readonly Outlook[], named: Named): string[] {
  return bounds.filter((bound) => exceeds(bound, bound.worst) && !exceeds(bound, bound.expected)).map((bound) => mostText(bound, named));
}

function expectedText(outlook: Outlook, named: Named): string {
  const [amount = '', most = '', before = ''] = texts(outlook, [outlook.expected ?? 0, outlook.limit, outlook.used]);
  return `expected ${outlook.bound === 'tokens' ? 'use' : 'cost'} ${amount} exceeds ${budgetName(outlook, [most, before], named)}`;
}

function mostText(outlook: Outlook, named: Named): string {
  const [amount = '', most = '', before = ''] = texts(outlook, [outlook.worst ?? 0, outlook.limit, outlook.used]);
  const takes = outlook.bound === 'tokens' ? 'takes' : 'costs';
  const what = `one try of each call ${takes} at most ${amount}, more than ${budgetName(outlook, [most, before], named)}`;
  return `${what}: the run may stop before it is done`;
}

function texts({ bound }: Outlook, amounts: readonly number[]): string[] {
  return bound === 'tokens' ? amountTexts(amounts).map((text) => `${text} tokens`) : moneyTexts(amounts);
}

function budgetName(
  { bound, used }: Outlook,
  [limit, before]: readonly [limit: string, before: string],
  { manifest, origins }: Named,
): string {
  const name = bound === 'group' ? `the ${limit} of budget group "${manifest.budget?.group?.name ?? ''}"` : `the budget of ${limit}`;
  const origin = origins?.[bound] ?? null;
  return `${name}${origin === null ? '' : ` (${origin})`}${used === 0 ? '' : `, of which ${before} is used already`}`;
}

/** What lets all that was planned begin, or as much of it as the budget will do for. */
function nextSteps(broken: readonly Outlook[], named: Named): string[] {
  return [...broken.flatMap((bound) => raisedBy(bound, named)), ...fewerJobs(broken, named)];
}

function raisedBy({ bound, used, limit, expected, worst }: Outlook, named: Named): string[] {
  if (bound === 'usd') return [commandWith(named, ['--max-cost', String(roundedUpUsd(usdOf(used + (worst ?? expected ?? 0))))])];
  const origin = named.origins?.[bound] ?? 'the manifest';
  if (bound === 'tokens') return [`raise budget.tokens (${origin})`];
  // Of a group that is too small from the start nothing is gained.
  const helps = used > 0 && (expected ?? 0) <= limit;
  const reset = helps ? [`aieval budget reset ${shellWord(named.manifest.budget?.group?.name ?? '')}`] : [];
  return [`raise budget.group.usd (${origin})`, ...reset];
}

/** Nothing where not even one job would be asked. */
function fewerJobs(broken: readonly Outlook[], named: Named): string[] {
  const shares = broken.map(({ limit, used, expected }) => (limit - used) / (expected ?? Number.POSITIVE_INFINITY));
  const first = named.firstJobs?.(Math.min(...shares)) ?? 0;
  return first > 0 ? [commandWith(named, ['--first', String(first)])] : [];
}

/** The run with these options, which take the place of those of the same name. */
function commandWith({ manifestPath, options = [] }: Named, [name = '', value = '']: readonly string[]): string {
  const at = options.indexOf(name);
  const others = at === -1 ? options : [...options.slice(0, at), ...options.slice(at + 2)];
  return ['aieval run', ...[manifestPath, ...others, name, value].map(shellWord)].join(' ');
}
