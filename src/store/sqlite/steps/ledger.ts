import { monthOf } from '../../../domain/budget.ts';
import { callCost } from '../../../domain/call-cost.ts';
import type { CallTiming } from '../../../domain/lane/lane.ts';
import { boundedUsage, type Usage } from '../../../domain/money.ts';
import { rateOf } from '../../estimate.ts';
import type { Reservation } from '../../fairest.ts';
import { outcomeColumns, withinReason } from '../../outcome-columns.ts';
import type { RunFacts } from '../../run-facts.ts';
import type { CallOutcome } from '../../work.ts';
import { runFacts } from '../runs/run-facts.ts';
import { fromNullableJson } from '../sql.ts';
import type { Tx } from '../transactor.ts';
import { noteLateCall, noteReleased } from './lane-news.ts';
import type { CallStep } from './step-row.ts';

const RESERVE = `
INSERT INTO calls (call_token, run_id, job_id, step_id, state, reserved_at_ms, worst_nano_usd, worst_tokens, granted_tokens,
  budget_group, budget_month)
VALUES (:token, :runId, :jobId, :stepId, 'reserved', :nowMs, :worstNanoUsd, :worstTokens, :grantedTokens, :group, :month)`;

/** The ledger's row of a call that a claim allows. It counts against its run's group in the month of now, whenever it ends. */
export function reserveCall(tx: Tx, run: RunFacts, step: CallStep, call: Reservation & { readonly token: string }): void {
  const { runId, jobId, stepId } = step;
  const { token, worst, grantedTokens } = call;
  const group = run.settings.budget?.group?.name ?? null;
  tx.sql.run(RESERVE, {
    ...{ token, runId, jobId, stepId, grantedTokens, group },
    nowMs: tx.nowMs,
    worstNanoUsd: worst.nanoUsd,
    worstTokens: worst.tokens,
    month: group === null ? null : monthOf(tx.nowMs),
  });
}

const SEND = `
UPDATE calls SET state = 'sent', sent_at_ms = :nowMs
WHERE call_token = :token AND state = 'reserved'
  AND EXISTS (SELECT 1 FROM steps s WHERE s.lease_token = :token AND s.state = 'running')`;

/** `reserved` → `sent` while the lease holds, ran out or not; false when it does not. */
export function sendCall(tx: Tx, token: string): boolean {
  return tx.sql.run(SEND, { token, nowMs: tx.nowMs }) === 1;
}

// What stays unknown takes no estimate away.
const OUTCOME = `
settled_at_ms = :nowMs, cost_nano_usd = coalesce(:costNanoUsd, cost_nano_usd),
  latency_ms = coalesce(:latencyMs, latency_ms), first_token_ms = coalesce(:firstTokenMs, first_token_ms),
  uncached_input = :uncachedInput, cache_read = :cacheRead, cache_write = :cacheWrite, output = :output, reasoning = :reasoning`;

const SETTLE = `
UPDATE calls SET state = :state, ${OUTCOME}, estimated = iif(:costNanoUsd IS NULL, estimated, 0),
  sent_at_ms = CASE WHEN :state = 'unknown' THEN coalesce(sent_at_ms, :nowMs) ELSE sent_at_ms END
WHERE call_token = :token AND run_id = :runId AND (state IN ('reserved', 'sent', 'unknown') OR (estimated = 1 AND :state = 'settled'))`;

const BELIEVE = `
UPDATE calls SET estimated = 0 WHERE call_token = :token AND run_id <> :runId AND estimated = 1 AND output IS NOT NULL`;

/**
 * Writes what a call of the run was. A row that is settled or released already stays as it is, unless its cost is an estimate. Another
 * run's call, whose answer was only judged here, cost what it cost that run.
 */
export function settleCall(tx: Tx, runId: string, token: string, outcome: CallOutcome): void {
  if (tx.sql.run(SETTLE, { token, runId, state: outcome.state, nowMs: tx.nowMs, ...outcomeColumns(outcome) }) === 0)
    tx.sql.run(BELIEVE, { token, runId });
}

const SETTLE_UNKNOWN = `
UPDATE calls SET state = 'settled', ${OUTCOME}, estimated = iif(:costNanoUsd IS NULL, max(estimated, :estimated), :estimated)
WHERE call_token = :token AND (state = 'unknown' OR estimated = 1)`;

/** A worker that lost its lease learnt what its own call cost: `unknown`, or an estimate, → `settled`, and nothing else. */
export function settleUnknownCall(tx: Tx, token: string, outcome: CallOutcome): void {
  if (outcome.state === 'settled') settleLate(tx, token, { ...withinReason(outcome), estimated: 0 });
}

type LateOutcome = Pick<CallOutcome, 'usage' | 'costNanoUsd' | 'timing' | 'rates'> & { readonly estimated: 0 | 1 };

/** The lane hears of an answer only: that a call failed long ago says nothing of now. */
function settleLate(tx: Tx, token: string, outcome: LateOutcome): void {
  const { estimated } = outcome;
  if (tx.sql.run(SETTLE_UNKNOWN, { token, estimated, nowMs: tx.nowMs, ...outcomeColumns(outcome) }) === 0) return;
  if (outcome.usage !== null) noteLateCall(tx, token, { ...outcome, failure: null });
}

const ABANDON = `
UPDATE calls SET state = 'unknown', settled_at_ms = :nowMs WHERE call_token = :token AND state = 'sent'`;

const RELEASE = `
UPDATE calls SET state = 'released', settled_at_ms = :nowMs WHERE call_token = :token AND state = 'reserved'`;

/**
 * The lease ended without an outcome: never sent → `released`; sent → `unknown`, because it may be billed, unless its answer is
 * stored and says what it cost.
 */
export function abandonCall(tx: Tx, token: string): void {
  if (tx.sql.run(RELEASE, { token, nowMs: tx.nowMs }) === 1) noteReleased(tx, token);
  else if (tx.sql.run(ABANDON, { token, nowMs: tx.nowMs }) === 1) settleByAnswer(tx, token);
}

const SELECT_ANSWERED = `
SELECT a.completion ->> '$.usage' AS usage, a.completion ->> '$.reportedCostUsd' AS reportedCostUsd,
  a.completion ->> '$.latencyMs' AS latencyMs, a.completion ->> '$.firstTokenMs' AS firstTokenMs, c.run_id AS runId, j.model
FROM responses a JOIN calls c ON c.call_token = a.call_token
  JOIN jobs j ON j.run_id = c.run_id AND j.job_id = c.job_id
WHERE a.call_token = :token AND (c.state = 'unknown' OR c.estimated = 1)`;

type Answered = CallTiming & {
  readonly usage: string | null;
  readonly reportedCostUsd: number | null;
  readonly runId: string;
  readonly model: string;
};

/**
 * A call that nobody knew the outcome of was answered all the same: it cost what its answer says, by its run's prices, until whoever
 * judges the answer says so.
 */
export function settleByAnswer(tx: Tx, token: string): void {
  const answered = tx.sql.one<Answered>(SELECT_ANSWERED, { token });
  if (answered === undefined) return;
  const { reportedCostUsd, model } = answered;
  const usage = boundedUsage(fromNullableJson<Usage>(answered.usage));
  const cost = callCost({ usage, reportedCostUsd }, rateOf(runFacts(tx.sql, answered.runId), model));
  if (usage === null && cost === null) return;
  settleLate(tx, token, withinReason({ usage, costNanoUsd: cost, timing: answered, estimated: 1 }));
}
