import type { BudgetUse } from '../../domain/budget.ts';
import { type BudgetBound, nearBounds } from '../../domain/budget-bounds.ts';
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

/** Calls whose outcome nobody knows, with their bound, and where even that is unknown, so. */
export function uncertainText({ uncertainCalls: calls, uncertainUnpricedCalls: unpriced, uncertainNanoUsd }: RunTotals['cost']): string {
  const bound = unpriced === calls ? '' : `, at most ${money(uncertainNanoUsd)}`;
  const unknown = unpriced === 0 ? '' : `, price of ${unpriced} unknown`;
  return `${counted(calls, 'call')} may have been billed${bound}${unknown}`;
}

/** Says once of each bound that most of it is used. */
export class BudgetWatch {
  readonly #told = new Set<BudgetBound['kind']>();

  /** The warnings that are due, given how the budget stands now. */
  news(use: BudgetUse | null): readonly string[] {
    if (use === null) return [];
    const near = nearBounds(use).filter(({ kind, used }) => used > 0 && !this.#told.has(kind));
    for (const { kind } of near) this.#told.add(kind);
    return near.map((bound) => `${shareText(bound)} of the budget is used or reserved: ${boundText(bound)}`);
  }
}

/** Of nothing there is no share. */
function shareText({ used, limit }: BudgetBound): string {
  return limit === 0 ? 'more than all' : `${Math.floor((100 * used) / limit)} %`;
}
