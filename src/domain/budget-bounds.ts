import type { BudgetBlock, BudgetUse, GroupBudget } from './budget.ts';

/** One bound of a budget and how much of it is used, in nano-USD, tokens or milliseconds. */
export type BudgetBound = {
  readonly kind: BudgetBlock;
  readonly used: number;
  readonly limit: number;
  /** Of `budget_group`. */
  readonly group: GroupBudget | null;
};

/** The bounds that a budget states, in the order in which they are told. */
export function budgetBounds({ budget, nanoUsd, tokens, activeMs, groupNanoUsd }: BudgetUse): readonly BudgetBound[] {
  const { group } = budget;
  return [
    ...bound('budget_usd', nanoUsd, budget.nanoUsd),
    ...bound('budget_tokens', tokens, budget.tokens),
    ...bound('budget_minutes', activeMs, budget.activeMs),
    ...bound('budget_group', groupNanoUsd, group?.nanoUsd ?? null).map((each) => ({ ...each, group })),
  ];
}

function bound(kind: BudgetBlock, used: number, limit: number | null): readonly BudgetBound[] {
  return limit === null ? [] : [{ kind, used, limit, group: null }];
}

/** Those that a person is to be warned of: so much of them is used, or more. */
export function nearBounds(use: BudgetUse): readonly BudgetBound[] {
  return budgetBounds(use).filter(({ used, limit }) => used >= use.budget.warnAt * limit);
}

/** An amount of USD in two digits, so that it is easily typed; never less. */
export function roundedUpUsd(usd: number): number {
  if (usd <= 0) return 1;
  const step = 10 ** (Math.floor(Math.log10(usd)) - 1);
  // Of a quotient like 31.000000000000004 the rest is chance.
  return Number((Math.ceil(Number((usd / step).toPrecision(12))) * step).toPrecision(2));
}
