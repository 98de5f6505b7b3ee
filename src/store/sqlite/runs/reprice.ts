import { repriced, type UnpricedCall } from '../../reprice.ts';
import type { RunFacts } from '../../run-facts.ts';
import type { Tx } from '../transactor.ts';
import { runFacts } from './run-facts.ts';

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

function priceCall(tx: Tx, run: RunFacts, call: UnpricedCall): void {
  const { callToken } = call;
  const { worstNanoUsd, costNanoUsd } = repriced(run, call);
  if (worstNanoUsd !== null) tx.sql.run(SET_WORST, { callToken, worstNanoUsd });
  if (costNanoUsd !== null) tx.sql.run(SET_COST, { callToken, costNanoUsd });
}
