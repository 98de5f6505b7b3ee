import { callCost } from '../../../domain/call-cost.ts';
import { type Usage, worstCostNanoUsd } from '../../../domain/money.ts';
import { rateOf } from '../../estimate.ts';
import type { RunFacts } from '../../run-facts.ts';
import type { Tx } from '../transactor.ts';
import { runFacts } from './run-facts.ts';

type UnpricedCall = { readonly [Name in keyof Usage]: number | null } & {
  readonly callToken: string;
  readonly state: 'reserved' | 'sent' | 'unknown' | 'settled';
  readonly model: string;
  readonly maxInputTokens: number;
};

const UNPRICED_CALLS = `
SELECT c.call_token AS callToken, c.state, c.uncached_input AS uncachedInput, c.cache_read AS cacheRead, c.cache_write AS cacheWrite,
  c.output, c.reasoning, j.model, s.max_input_tokens AS maxInputTokens
FROM calls c JOIN jobs j ON j.run_id = c.run_id AND j.job_id = c.job_id JOIN steps s ON s.step_id = c.step_id
WHERE c.run_id = :runId AND c.cost_nano_usd IS NULL AND c.state <> 'released' AND (c.worst_nano_usd IS NULL OR c.output IS NOT NULL)`;

// To name the state says that the job's files are no longer true.
const SET_COST = `
UPDATE calls SET state = state, cost_nano_usd = :costNanoUsd WHERE call_token = :callToken AND cost_nano_usd IS NULL`;

const SET_WORST = `
UPDATE calls SET worst_nano_usd = :worstNanoUsd WHERE call_token = :callToken AND worst_nano_usd IS NULL`;

/** Calls of the run that were made while their price was unknown count by the prices of now: a budget bounds them too. */
export function priceAnew(tx: Tx, runId: string): void {
  const run = runFacts(tx.sql, runId);
  for (const call of tx.sql.all<UnpricedCall>(UNPRICED_CALLS, { runId })) priceCall(tx, run, call);
}

function priceCall(tx: Tx, run: RunFacts, { callToken, state, model, maxInputTokens, ...counts }: UnpricedCall): void {
  const rate = rateOf(run, model);
  const worstNanoUsd = worstCostNanoUsd(rate, maxInputTokens);
  if (worstNanoUsd !== null) tx.sql.run(SET_WORST, { callToken, worstNanoUsd });
  const costNanoUsd = state === 'settled' ? callCost({ usage: usageOf(counts) }, rate) : null;
  if (costNanoUsd !== null) tx.sql.run(SET_COST, { callToken, costNanoUsd });
}

function usageOf({ uncachedInput, cacheRead, cacheWrite, output, reasoning }: { [Name in keyof Usage]: number | null }): Usage | null {
  if (uncachedInput === null || output === null) return null;
  return { uncachedInput, cacheRead: cacheRead ?? 0, cacheWrite: cacheWrite ?? 0, output, reasoning: reasoning ?? 0 };
}
