import { type ModelRate, worstCostNanoUsd } from '../../domain/money.ts';
import type { OpenCalls, RunRow, Waiting } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { NextCall } from '../display/stop-text.ts';

/** In nano-USD; `null` where a price or a longest answer is unknown, or something else than its budget in USD stopped the run. */
export type OpenCost = {
  /** The most that all open calls of a run can cost. */
  readonly openNanoUsd: number | null;
  /** The least of what one of them can cost: not even that fits. */
  readonly nextCall: NextCall | null;
};

const NOT_STOPPED: OpenCost = { openNanoUsd: null, nextCall: null };

/** What the open calls of a run can cost, where its budget is what stopped it. */
export async function openCost(
  store: Pick<Store, 'openCalls'>,
  { runId, settings }: RunRow,
  stoppedBy: readonly Waiting[],
): Promise<OpenCost> {
  if (!stoppedBy.some(({ why }) => why === 'budget_usd')) return NOT_STOPPED;
  const calls = await store.openCalls(runId);
  const openNanoUsd = calls.reduce<number | null>((sum, each) => plus(sum, worstOf(settings.rates[each.model], each)), 0);
  const each = calls.flatMap(({ model, largestInputTokens }) => {
    const nanoUsd = worstCostNanoUsd(settings.rates[model], largestInputTokens);
    return nanoUsd === null || nanoUsd === 0 ? [] : [{ model, nanoUsd }];
  });
  return { openNanoUsd, nextCall: each.sort((one, other) => one.nanoUsd - other.nanoUsd)[0] ?? null };
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
