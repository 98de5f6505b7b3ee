import { usdOf } from '../domain/money.ts';
import type { RunTotals } from '../store/rows.ts';

/** The `cost` of every machine-readable record, in USD. */
export function costRecord(cost: RunTotals['cost']): object {
  return {
    spentUsd: usdOrNull(cost.spentNanoUsd),
    reservedUsd: usdOf(cost.reservedNanoUsd),
    uncertainUsd: usdOf(cost.uncertainNanoUsd),
    budgetUsd: null,
    unpricedCalls: cost.unpricedCalls,
    uncertainCalls: cost.uncertainCalls,
    uncertainUnpricedCalls: cost.uncertainUnpricedCalls,
  };
}

/** nano-USD as USD; an unknown amount stays unknown. */
export function usdOrNull(nanoUsd: number | null): number | null {
  return nanoUsd === null ? null : usdOf(nanoUsd);
}
