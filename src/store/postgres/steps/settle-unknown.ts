import type { UnknownCost } from '../../plan-rows.ts';
import { atMost, type Estimated, type Taken, type UnknownCall } from '../../unknown-cost.ts';
import { summaryIsStale } from '../runs/jobs.ts';
import type { Tx } from '../transactor.ts';
import { hintAtWork } from '../work-hint.ts';

const UNKNOWN_CALLS = `
SELECT c.call_token, j.model, c.worst_nano_usd, c.worst_tokens
FROM calls c JOIN jobs j ON j.run_id = c.run_id AND j.job_id = c.job_id
WHERE c.run_id = :runId AND c.state = 'unknown' ORDER BY c.call_token`;

const ESTIMATE = `
UPDATE calls SET state = 'settled', estimated = true, cost_nano_usd = :nanoUsd, worst_tokens = :tokens, settled_at_ms = :nowMs
WHERE call_token = :callToken AND state = 'unknown'`;

/** Settles the run's unknown calls by an estimate. Those whose cost cannot be known stay as they are. */
export async function settleUnknown(tx: Tx, runId: string, at: UnknownCost): Promise<Estimated> {
  const estimate = estimator(tx, runId, at);
  const sums = { calls: 0, nanoUsd: 0, atWorst: 0, unpriced: 0 };
  for (const call of await tx.sql.all<UnknownCall>(UNKNOWN_CALLS, { runId })) {
    const taken = await estimate(call);
    const { nanoUsd, tokens } = atMost(taken, call);
    if (nanoUsd === null) {
      sums.unpriced += 1;
      continue;
    }
    tx.sql.sendOne(ESTIMATE, { callToken: call.callToken, nanoUsd, tokens, nowMs: tx.nowMs });
    sums.calls += 1;
    sums.nanoUsd += nanoUsd;
    sums.atWorst += Number(at === 'expected' && taken.nanoUsd === null);
  }
  if (sums.calls > 0) {
    summaryIsStale(tx, runId);
    hintAtWork(tx);
  }
  return sums;
}

function estimator(tx: Tx, runId: string, at: UnknownCost): (call: UnknownCall) => Promise<Taken> {
  if (at === 'zero') return async () => ({ nanoUsd: 0, tokens: 0 });
  if (at === 'worst') return async () => ({ nanoUsd: null, tokens: null });
  const averages = new Map<string, Taken>();
  return async ({ model }) => {
    const known = averages.get(model) ?? (await averageOf(tx, runId, model));
    averages.set(model, known);
    return known;
  };
}

// Of calls that were answered, in this run, else in the whole store: a refusal costs nothing and says nothing of a silence.
const AVERAGES = `
SELECT coalesce(avg(c.cost_nano_usd) FILTER (WHERE j.run_id = :runId), avg(c.cost_nano_usd)) AS nano_usd,
  coalesce(avg(c.used) FILTER (WHERE j.run_id = :runId), avg(c.used)) AS tokens
FROM jobs j JOIN (
  SELECT run_id, job_id, cost_nano_usd, uncached_input + cache_read + cache_write + output AS used FROM calls
  WHERE state = 'settled' AND NOT estimated AND output IS NOT NULL) c ON c.run_id = j.run_id AND c.job_id = j.job_id
WHERE j.model = :model`;

async function averageOf(tx: Tx, runId: string, model: string): Promise<Taken> {
  const row = await tx.sql.one<Taken>(AVERAGES, { runId, model });
  const up = (value: number | null | undefined) => (value == null ? null : Math.ceil(value));
  return { nanoUsd: up(row?.nanoUsd), tokens: up(row?.tokens) };
}
