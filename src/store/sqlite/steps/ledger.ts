import { costNanoUsd, type Usage, worstCostNanoUsd } from '../../../domain/money.ts';
import type { RunSettings } from '../../../domain/run.ts';
import type { CallOutcome } from '../../work.ts';
import type { RunFacts } from '../runs/run-facts.ts';
import { fromJson, fromNullableJson } from '../sql.ts';
import type { Tx } from '../transactor.ts';
import type { CallStep } from './step-row.ts';

const MODEL = `SELECT model FROM jobs WHERE run_id = :runId AND job_id = :jobId`;
const RESERVE = `
INSERT INTO calls (call_token, run_id, job_id, step_id, state, reserved_at_ms, worst_nano_usd)
VALUES (:token, :runId, :jobId, :stepId, 'reserved', :nowMs, :worstNanoUsd)`;

/** The ledger's row of a call that a claim allows, with the most that it may cost. */
export function reserveCall(tx: Tx, run: RunFacts, step: CallStep, token: string): void {
  const { runId, jobId, stepId, inputTokens } = step;
  const model = tx.sql.one<{ model: string }>(MODEL, { runId, jobId })?.model ?? '';
  const worstNanoUsd = worstCostNanoUsd(run.settings.rates[model], inputTokens);
  tx.sql.run(RESERVE, { token, runId, jobId, stepId, nowMs: tx.nowMs, worstNanoUsd });
}

const SEND = `
UPDATE calls SET state = 'sent', sent_at_ms = :nowMs
WHERE call_token = :token AND state = 'reserved'
  AND EXISTS (SELECT 1 FROM steps s WHERE s.lease_token = :token AND s.state = 'running')`;

/** `reserved` → `sent` while the lease holds, ran out or not; false when it does not. */
export function sendCall(tx: Tx, token: string): boolean {
  return tx.sql.run(SEND, { token, nowMs: tx.nowMs }) === 1;
}

const SETTLE = `
UPDATE calls SET state = :state, settled_at_ms = :nowMs, cost_nano_usd = :costNanoUsd, estimated = 0,
  sent_at_ms = CASE WHEN :state = 'unknown' THEN coalesce(sent_at_ms, :nowMs) ELSE sent_at_ms END,
  uncached_input = :uncachedInput, cache_read = :cacheRead, cache_write = :cacheWrite, output = :output, reasoning = :reasoning
WHERE call_token = :token AND (state IN ('reserved', 'sent', 'unknown') OR (estimated = 1 AND :state = 'settled'))`;

/** Writes what a call was. A row that is settled or released already stays as it is, unless its cost is an estimate. */
export function settleCall(tx: Tx, token: string, outcome: CallOutcome): void {
  tx.sql.run(SETTLE, { token, state: outcome.state, costNanoUsd: outcome.costNanoUsd, nowMs: tx.nowMs, ...usageColumns(outcome.usage) });
}

const SETTLE_UNKNOWN = `
UPDATE calls SET state = 'settled', settled_at_ms = :nowMs, cost_nano_usd = :costNanoUsd, estimated = :estimated,
  uncached_input = :uncachedInput, cache_read = :cacheRead, cache_write = :cacheWrite, output = :output, reasoning = :reasoning
WHERE call_token = :token AND (state = 'unknown' OR estimated = 1)`;

/** A worker that lost its lease learnt what its own call cost: `unknown`, or an estimate, → `settled`, and nothing else. */
export function settleUnknownCall(tx: Tx, token: string, outcome: CallOutcome): void {
  if (outcome.state === 'settled') settleLate(tx, token, { ...outcome, estimated: 0 });
}

type LateOutcome = Pick<CallOutcome, 'usage' | 'costNanoUsd'> & { readonly estimated: 0 | 1 };

function settleLate(tx: Tx, token: string, { usage, costNanoUsd, estimated }: LateOutcome): void {
  tx.sql.run(SETTLE_UNKNOWN, { token, costNanoUsd, estimated, nowMs: tx.nowMs, ...usageColumns(usage) });
}

const ABANDON = `
UPDATE calls SET state = CASE state WHEN 'reserved' THEN 'released' ELSE 'unknown' END, settled_at_ms = :nowMs
WHERE call_token = :token AND state IN ('reserved', 'sent')`;

/**
 * The lease ended without an outcome: never sent → `released`; sent → `unknown`, because it may be billed, unless its answer is
 * stored and says what it cost.
 */
export function abandonCall(tx: Tx, token: string): void {
  if (tx.sql.run(ABANDON, { token, nowMs: tx.nowMs }) === 1) settleByAnswer(tx, token);
}

const SELECT_ANSWERED = `
SELECT a.completion ->> '$.usage' AS usage, r.settings ->> '$.rates' AS rates, j.model
FROM responses a JOIN calls c ON c.call_token = a.call_token
  JOIN jobs j ON j.run_id = c.run_id AND j.job_id = c.job_id JOIN runs r ON r.run_id = c.run_id
WHERE a.call_token = :token AND (c.state = 'unknown' OR c.estimated = 1)`;

type Answered = { readonly usage: string | null; readonly rates: string; readonly model: string };

/**
 * A call that nobody knew the outcome of was answered all the same: it cost what its answer says, by its run's prices, until whoever
 * judges the answer says so.
 */
export function settleByAnswer(tx: Tx, token: string): void {
  const answered = tx.sql.one<Answered>(SELECT_ANSWERED, { token });
  const usage = fromNullableJson<Usage>(answered?.usage ?? null);
  if (answered === undefined || usage === null) return;
  const price = fromJson<RunSettings['rates']>(answered.rates)[answered.model]?.price ?? null;
  settleLate(tx, token, { usage, costNanoUsd: costNanoUsd(usage, price), estimated: 1 });
}

function usageColumns(usage: Usage | null): { [name: string]: number | null } {
  return {
    uncachedInput: usage?.uncachedInput ?? null,
    cacheRead: usage?.cacheRead ?? null,
    cacheWrite: usage?.cacheWrite ?? null,
    output: usage?.output ?? null,
    reasoning: usage?.reasoning ?? null,
  };
}
