import { callCost } from '../domain/call-cost.ts';
import { type Usage, worstCostNanoUsd } from '../domain/money.ts';
import { rateOf } from './estimate.ts';
import type { RunFacts } from './run-facts.ts';

/** A call that was made while its price was unknown. */
export type UnpricedCall = { readonly [Name in keyof Usage]: number | null } & {
  readonly callToken: string;
  readonly state: 'reserved' | 'sent' | 'unknown' | 'settled';
  readonly model: string;
  readonly maxInputTokens: number;
};

/** What it costs by the prices of now, at most and, once it is settled, in truth; `null`: still unknown. */
export function repriced(run: RunFacts, call: UnpricedCall): { readonly worstNanoUsd: number | null; readonly costNanoUsd: number | null } {
  const rate = rateOf(run, call.model);
  return {
    worstNanoUsd: worstCostNanoUsd(rate, call.maxInputTokens),
    costNanoUsd: call.state === 'settled' ? callCost({ usage: usageOf(call) }, rate) : null,
  };
}

function usageOf({ uncachedInput, cacheRead, cacheWrite, output, reasoning }: { [Name in keyof Usage]: number | null }): Usage | null {
  if (uncachedInput === null || output === null) return null;
  return { uncachedInput, cacheRead: cacheRead ?? 0, cacheWrite: cacheWrite ?? 0, output, reasoning: reasoning ?? 0 };
}
