import type { UnknownCost } from '../../plan-rows.ts';
import { atMost, type Estimated, type Taken, type UnknownCall } from '../../unknown-cost.ts';
import { summaryIsStale } from '../runs/jobs.ts';
import type { Tx } from '../transactor.ts';

const UNKNOWN_CALLS = `
SELECT c.call_token AS callToken, j.model, c.worst_nano_usd AS worstNanoUsd, c.worst_tokens AS worstTokens
FROM calls c JOIN jobs j ON j.run_id = c.run_id AND j.job_id = c.job_id
WHERE c.run_id = :runId AND c.state = 'unknown'`;

const ESTIMATE = `
UPDATE calls SET state = 'settled', estimated = 1, cost_nano_usd = :nanoUsd, worst_tokens = :tokens, settled_at_ms = :nowMs
WHERE call_token = :callToken AND state = 'unknown'`;

/** Settles the run's unknown calls by an estimate. Those whose cost cannot be known stay as they are. */
export function settleUnknown(tx: Tx, runId: string, at: UnknownCost): Estimated {
  const estimate = estimator(tx, runId, at);
  const sums = { calls: 0, nanoUsd: 0, atWorst: 0, unpriced: 0 };
  for (const call of tx.sql.all<UnknownCall>(UNKNOWN_CALLS, { runId })) {
    const taken = estimate(call);
    const { nanoUsd, tokens } = atMost(taken, call);
    if (nanoUsd === null) {
      sums.unpriced += 1;
      continue;
    }
    tx.sql.runOne(ESTIMATE, { callToken: call.callToken, nanoUsd, tokens, nowMs: tx.nowMs });
    sums.calls += 1;
    sums.nanoUsd += nanoUsd;
    sums.atWorst += Number(at === 'expected' && taken.nanoUsd === null);
  }
  if (sums.calls > 0) summaryIsStale(tx, runId);
  return sums;
}

function estimator(tx: Tx, runId: string, at: UnknownCost): (call: UnknownCall) => Taken {
  if (at === 'zero') return () => ({ nanoUsd: 0, tokens: 0 });
  if (at === 'worst') return () => ({ nanoUsd: null, tokens: null });
  const averages = new Map<string, Taken>();
  return ({ model }) => {
    const known = averages.get(model) ?? { nanoUsd: average(tx, COST, { runId, model }), tokens: average(tx, TOKENS, { runId, model }) };
    averages.set(model, known);
    return known;
  };
}

type Average = { readonly ofRun: string; readonly ofStore: string };

// Of calls that were answered: a refusal costs nothing and says nothing of a silence.
function averageOf(value: string): Average {
  const select = (jobs: string) => `
SELECT avg(${value}) AS value FROM jobs j JOIN calls c ON c.run_id = j.run_id AND c.job_id = j.job_id
WHERE ${jobs} AND c.state = 'settled' AND c.estimated = 0 AND ${value} IS NOT NULL AND c.output IS NOT NULL`;
  return { ofRun: select('j.run_id = :runId AND j.model = :model'), ofStore: select('j.model = :model') };
}

const COST = averageOf('c.cost_nano_usd');
const TOKENS = averageOf('c.uncached_input + c.cache_read + c.cache_write + c.output');

/** Of a call of the model in this run, else in the whole store; `null` when nothing is known of any. */
function average(tx: Tx, { ofRun, ofStore }: Average, { runId, model }: { readonly runId: string; readonly model: string }): number | null {
  const one = (text: string, values: { readonly [name: string]: string }) => tx.sql.one<{ value: number | null }>(text, values)?.value;
  const value = one(ofRun, { runId, model }) ?? one(ofStore, { model }) ?? null;
  return value === null ? null : Math.ceil(value);
}
