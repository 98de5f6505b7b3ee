import type { UnknownCost } from '../../plan-rows.ts';
import { summaryIsStale } from '../runs/jobs.ts';
import type { Tx } from '../transactor.ts';

type UnknownCall = { readonly callToken: string; readonly model: string; readonly worstNanoUsd: number | null };

export type Estimated = { readonly calls: number; readonly nanoUsd: number; readonly atWorst: number; readonly unpriced: number };

const UNKNOWN_CALLS = `
SELECT c.call_token AS callToken, j.model, c.worst_nano_usd AS worstNanoUsd
FROM calls c JOIN jobs j ON j.run_id = c.run_id AND j.job_id = c.job_id
WHERE c.run_id = :runId AND c.state = 'unknown'`;

const ESTIMATE = `
UPDATE calls SET state = 'settled', estimated = 1, cost_nano_usd = :nanoUsd, settled_at_ms = :nowMs
WHERE call_token = :callToken AND state = 'unknown'`;

/** Settles the run's unknown calls by an estimate. Those whose cost cannot be known stay as they are. */
export function settleUnknown(tx: Tx, runId: string, at: UnknownCost): Estimated {
  const estimate = estimator(tx, runId, at);
  const sums = { calls: 0, nanoUsd: 0, atWorst: 0, unpriced: 0 };
  for (const call of tx.sql.all<UnknownCall>(UNKNOWN_CALLS, { runId })) {
    const estimated = estimate(call);
    const nanoUsd = estimated ?? (at === 'expected' ? call.worstNanoUsd : null);
    if (nanoUsd === null) {
      sums.unpriced += 1;
      continue;
    }
    tx.sql.runOne(ESTIMATE, { callToken: call.callToken, nanoUsd, nowMs: tx.nowMs });
    sums.calls += 1;
    sums.nanoUsd += nanoUsd;
    sums.atWorst += Number(estimated === null);
  }
  if (sums.calls > 0) summaryIsStale(tx, runId);
  return sums;
}

function estimator(tx: Tx, runId: string, at: UnknownCost): (call: UnknownCall) => number | null {
  if (at === 'zero') return () => 0;
  if (at === 'worst') return ({ worstNanoUsd }) => worstNanoUsd;
  const averages = new Map<string, number | null>();
  return ({ model }) => {
    if (!averages.has(model)) averages.set(model, averageCost(tx, runId, model));
    return averages.get(model) ?? null;
  };
}

// Of calls that were answered: a refusal costs nothing and says nothing of a silence.
function averageOf(jobs: string): string {
  return `
SELECT avg(c.cost_nano_usd) AS nanoUsd FROM jobs j JOIN calls c ON c.run_id = j.run_id AND c.job_id = j.job_id
WHERE ${jobs} AND c.state = 'settled' AND c.estimated = 0 AND c.cost_nano_usd IS NOT NULL AND c.output IS NOT NULL`;
}

const AVERAGE_OF_RUN = averageOf('j.run_id = :runId AND j.model = :model');
const AVERAGE_OF_STORE = averageOf('j.model = :model');

/** What a call of the model costs on average in this run, else in the whole store; `null` when none is priced. */
function averageCost(tx: Tx, runId: string, model: string): number | null {
  const inRun = tx.sql.one<{ nanoUsd: number | null }>(AVERAGE_OF_RUN, { runId, model })?.nanoUsd ?? null;
  const nanoUsd = inRun ?? tx.sql.one<{ nanoUsd: number | null }>(AVERAGE_OF_STORE, { model })?.nanoUsd ?? null;
  return nanoUsd === null ? null : Math.ceil(nanoUsd);
}
