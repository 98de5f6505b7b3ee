/** What a run, or a group of runs, may spend. `null`: no such bound. */
export type Budget = {
  readonly nanoUsd: number | null;
  /** Input and output together. */
  readonly tokens: number | null;
  /** Time in which somebody works on the run. */
  readonly activeMs: number | null;
  /** Share of any of them from which on a person is warned, 0 to 1. */
  readonly warnAt: number;
  readonly group: GroupBudget | null;
};

/** A bound over all runs that name the group: in a calendar month (UTC), or in all. */
export type GroupBudget = { readonly name: string; readonly nanoUsd: number; readonly per: 'month' | 'total' };

/** Spent, reserved by calls in flight, and uncertain, all together. */
export type BudgetUse = {
  readonly budget: Budget;
  readonly nanoUsd: number;
  readonly tokens: number;
  readonly activeMs: number;
  readonly groupNanoUsd: number;
  /** Calls in flight may turn out to cost less than is reserved for them. */
  readonly inFlight: boolean;
};

/** The most that a call may cost and use; `nanoUsd` is `null` when its price or its longest answer is unknown. */
export type WorstCase = { readonly nanoUsd: number | null; readonly tokens: number };

export type BudgetBlock = 'budget_usd' | 'budget_tokens' | 'budget_minutes' | 'budget_group';

/** The bound that a call might break, if any. What cannot be bounded may not be sent: a limit that never trips is none. */
export function budgetBlock(use: BudgetUse, worst: WorstCase): BudgetBlock | null {
  const { budget } = use;
  if (budget.activeMs !== null && use.activeMs >= budget.activeMs) return 'budget_minutes';
  if (budget.tokens !== null && use.tokens + worst.tokens > budget.tokens) return 'budget_tokens';
  if (exceeds(use.nanoUsd, worst.nanoUsd, budget.nanoUsd)) return 'budget_usd';
  if (exceeds(use.groupNanoUsd, worst.nanoUsd, budget.group?.nanoUsd ?? null)) return 'budget_group';
  return null;
}

function exceeds(used: number, worst: number | null, limit: number | null): boolean {
  if (limit === null || worst === 0) return false;
  return worst === null || used + worst > limit;
}

/** The calendar month of a time, in UTC: `2026-11`. */
export function monthOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 7);
}
