import { type ModelRate, worstCostNanoUsd } from '../../domain/money.ts';
import type { OpenCalls, RunRow, Waiting } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';

/**
 * The most that the open calls of a run can cost, in nano-USD, where its budget is what stopped it; `null` where it is not, or a price
 * or a longest answer is unknown.
 */
export async function openCost(
  store: Pick<Store, 'openCalls'>,
  { runId, settings }: RunRow,
  stoppedBy: readonly Waiting[],
): Promise<number | null> {
  if (!stoppedBy.some(({ why }) => why === 'budget_usd')) return null;
  const calls = await store.openCalls(runId);
  return calls.reduce<number | null>((sum, each) => plus(sum, worstOf(settings.rates[each.model], each)), 0);
}

function plus(sum: number | null, more: number | null): number | null {
  return sum === null || more === null ? null : sum + more;
}

/** All calls of a model as one, by the prices that the largest of them reaches; each is rounded up on its own. */
function worstOf(rate: ModelRate | undefined, { calls, maxInputTokens, largestInputTokens }: OpenCalls): number | null {
  const worst = worstCostNanoUsd(rate === undefined ? rate : asOne(rate, calls, largestInputTokens), maxInputTokens);
  return worst === null || worst === 0 ? worst : worst + calls;
}

function asOne({ price, maxOutputTokens }: ModelRate, calls: number, largestInputTokens: number): ModelRate {
  const most = maxOutputTokens === null ? null : calls * maxOutputTokens;
  if (price === null || price === 'free') return { price, maxOutputTokens: most };
  return { price: { ...price, above: price.above?.filter((tier) => largestInputTokens > tier.inputTokens) }, maxOutputTokens: most };
}
