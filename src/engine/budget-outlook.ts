import type { Budget } from '../domain/budget.ts';
import type { Estimate } from './plan-cost.ts';

/** What counts against a budget before the first call: of the run that goes on, and of the group. */
export type Used = { readonly nanoUsd: number; readonly tokens: number; readonly groupNanoUsd: number };

export const NOTHING_USED: Used = { nanoUsd: 0, tokens: 0, groupNanoUsd: 0 };

/** One bound and what is to be expected of it; amounts in nano-USD or tokens. `null`: unknown. */
export type Outlook = {
  readonly bound: 'usd' | 'tokens' | 'group';
  readonly limit: number;
  readonly used: number;
  readonly expected: number | null;
  readonly worst: number | null;
};

/** What each bound of a budget is to be expected to hold. Minutes are not foreseen. */
export function budgetOutlook(budget: Budget | null, estimate: Estimate, used: Used): Outlook[] {
  if (budget === null) return [];
  const cost = { expected: estimate.expectedNanoUsd, worst: estimate.worstNanoUsd };
  const tokens = {
    expected: plus(estimate.inputTokens, estimate.outputTokens),
    worst: plus(estimate.maxInputTokens, estimate.maxOutputTokens),
  };
  return [
    ...(budget.nanoUsd === null ? [] : [{ bound: 'usd' as const, limit: budget.nanoUsd, used: used.nanoUsd, ...cost }]),
    ...(budget.tokens === null ? [] : [{ bound: 'tokens' as const, limit: budget.tokens, used: used.tokens, ...tokens }]),
    ...(budget.group === null ? [] : [{ bound: 'group' as const, limit: budget.group.nanoUsd, used: used.groupNanoUsd, ...cost }]),
  ];
}

function plus(one: number, other: number | null): number | null {
  return other === null ? null : one + other;
}

/** Whether so much more is more than the bound allows. */
export function exceeds({ limit, used }: Outlook, amount: number | null): boolean {
  return amount !== null && amount > 0 && used + amount > limit;
}
