import type { Completion } from './completion.ts';
import { boundedUsage, cappedNanoUsd, costNanoUsd, type ModelRate } from './money.ts';

type Answer = Pick<Completion, 'usage'> & { readonly reportedCostUsd?: number | null | undefined };

/**
 * What a call cost in nano-USD: by the manifest's price, else as its provider says, else by our price list. `null` when nobody knows:
 * without usage a price is of no help.
 */
export function callCost({ usage, reportedCostUsd }: Answer, { price }: Pick<ModelRate, 'price'>): number | null {
  if (price === 'free') return 0;
  const counts = boundedUsage(usage);
  const byPrice = counts === null ? null : costNanoUsd(counts, price);
  const isStated = price !== null && price.listed !== true;
  if ((isStated && byPrice !== null) || reportedCostUsd == null || Number.isNaN(reportedCostUsd)) return byPrice;
  return nanoUsdRoundedUp(reportedCostUsd);
}

/** A float may lie a hair above the whole number that it stands for, which is no reason to charge one more. */
function nanoUsdRoundedUp(usd: number): number {
  return cappedNanoUsd(Math.ceil(Number((usd * 1e9).toFixed(3))));
}
