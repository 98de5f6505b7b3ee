import type { Budget, BudgetBlock, BudgetUse } from '../../domain/budget.ts';
import { type BudgetBound, budgetBounds, nearBounds } from '../../domain/budget-bounds.ts';
import type { RunTotals } from '../../store/rows.ts';
import { amountTexts, counted, duration, money, moneyTexts } from '../terminal/format.ts';

/** `$2.99 of $3.00`, `1.20M of 1.30M tokens`, `41m10s of 45m00s`, `$9.90 of $10.00 of group team this month`. */
export function boundText({ kind, used, limit, group }: BudgetBound): string {
  switch (kind) {
    case 'budget_usd':
      return moneyTexts([used, limit]).join(' of ');
    case 'budget_tokens':
      return `${amountTexts([used, limit]).join(' of ')} tokens`;
    case 'budget_minutes':
      return `${duration(used)} of ${duration(limit)}`;
    case 'budget_group':
      return `${moneyTexts([used, limit]).join(' of ')} of group ${group?.name ?? ''}${group?.per === 'month' ? ' this month' : ''}`;
  }
}

/** ` + 50 unpriced calls`, behind what is known to be spent; empty where nothing is, or all is. */
export function unpricedText({ unpricedCalls, spentNanoUsd }: RunTotals['cost']): string {
  return unpricedCalls > 0 && spentNanoUsd !== null ? ` + ${counted(unpricedCalls, 'unpriced call')}` : '';
}

/** Calls whose outcome nobody knows, with their bound, and where even that is unknown, so. */
export function uncertainText({ uncertainCalls: calls, uncertainUnpricedCalls: unpriced, uncertainNanoUsd }: RunTotals['cost']): string {
  const bound = unpriced === calls ? '' : `, at most ${money(uncertainNanoUsd)}`;
  const unknown = unpriced === 0 ? '' : `, price of ${unpriced} unknown`;
  return `${counted(calls, 'call')} may have been billed${bound}${unknown}`;
}

/** Says once of each bound that most of it is used, and that another start has changed it: it holds for all who work on the run. */
export class BudgetWatch {
  readonly #told = new Set<BudgetBlock>();
  #limits: Limits;

  /** `budget`: the one that this process started with. */
  constructor(budget: Budget | null) {
    this.#limits = limitsOf(budget);
  }

  /** The warnings that are due, given how the budget stands now. */
  news(use: BudgetUse | null): readonly string[] {
    const changes = this.#changes(limitsOf(use?.budget ?? null));
    const near = (use === null ? [] : nearBounds(use)).filter(({ kind, used }) => used > 0 && !this.#told.has(kind));
    for (const { kind } of near) this.#told.add(kind);
    return [...changes, ...near.map((bound) => `${shareText(bound)} of the budget is used or reserved: ${boundText(bound)}`)];
  }

  #changes(limits: Limits): readonly string[] {
    const before = this.#limits;
    this.#limits = limits;
    return KINDS.filter((kind) => limits.get(kind) !== before.get(kind)).map((kind) => {
      this.#told.delete(kind);
      const [was, is] = [before, limits].map((each) => limitText(kind, each.get(kind)));
      return `another start changed budget.${kind.slice('budget_'.length)} of this run from ${was} to ${is}`;
    });
  }
}

type Limits = ReadonlyMap<BudgetBlock, number>;

const KINDS: readonly BudgetBlock[] = ['budget_usd', 'budget_tokens', 'budget_minutes', 'budget_group'];
const UNUSED = { nanoUsd: 0, tokens: 0, activeMs: 0, groupNanoUsd: 0, inFlight: false };

function limitsOf(budget: Budget | null): Limits {
  const bounds = budget === null ? [] : budgetBounds({ ...UNUSED, budget });
  return new Map(bounds.map(({ kind, limit }) => [kind, limit]));
}

function limitText(kind: BudgetBlock, limit: number | undefined): string {
  if (limit === undefined) return 'none';
  if (kind === 'budget_tokens') return amountTexts([limit]).join('');
  return kind === 'budget_minutes' ? duration(limit) : money(limit);
}

/** Of nothing there is no share. */
function shareText({ used, limit }: BudgetBound): string {
  return limit === 0 ? 'more than all' : `${Math.floor((100 * used) / limit)} %`;
}
