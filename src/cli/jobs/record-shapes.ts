import { type BudgetBound, budgetBounds } from '../../domain/budget-bounds.ts';
import { usdOf } from '../../domain/money.ts';
import type { RunTotals, Waiting } from '../../store/rows.ts';

/** The `cost` of every machine-readable record, in USD. */
export function costRecord({ cost, budget }: Pick<RunTotals, 'cost' | 'budget'>): object {
  return {
    spentUsd: usdOrNull(cost.spentNanoUsd),
    reservedUsd: usdOf(cost.reservedNanoUsd),
    uncertainUsd: usdOf(cost.uncertainNanoUsd),
    budgetUsd: usdOrNull(budget?.budget.nanoUsd ?? null),
    unpricedCalls: cost.unpricedCalls,
    uncertainCalls: cost.uncertainCalls,
    uncertainUnpricedCalls: cost.uncertainUnpricedCalls,
  };
}

/** The bounds of the run's budget and what counts against each; `null` without a budget. */
export function budgetRecord({ budget: use }: Pick<RunTotals, 'budget'>): object | null {
  if (use === null) return null;
  const bounds = new Map(budgetBounds(use).map((bound) => [bound.kind, bound]));
  const group = bounds.get('budget_group');
  return {
    usd: boundRecord(bounds.get('budget_usd'), usdOf),
    tokens: boundRecord(bounds.get('budget_tokens'), (tokens) => tokens),
    minutes: boundRecord(bounds.get('budget_minutes'), (ms) => ms / MS_PER_MINUTE),
    group: group === undefined ? null : { name: group.group?.name, per: group.group?.per, ...boundRecord(group, usdOf) },
    warnAt: use.budget.warnAt,
  };
}

const MS_PER_MINUTE = 60_000;

function boundRecord(bound: BudgetBound | undefined, inUnit: (amount: number) => number): object | null {
  return bound === undefined ? null : { limit: inUnit(bound.limit), used: inUnit(bound.used) };
}

/** Why steps wait, and until when. */
export function waitingRecord({ why, count, untilMs, lane = null, tags, slots }: Waiting): object {
  return { why, lane, count, untilMs, ...(tags === undefined ? {} : { tags }), ...(slots === undefined ? {} : { slots }) };
}

/** nano-USD as USD; an unknown amount stays unknown. */
export function usdOrNull(nanoUsd: number | null): number | null {
  return nanoUsd === null ? null : usdOf(nanoUsd);
}
