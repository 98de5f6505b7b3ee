import { monthOf } from '../../../domain/budget.ts';
import { callCost } from '../../../domain/call-cost.ts';
import type { Completion } from '../../../domain/completion.ts';
import { boundedUsage } from '../../../domain/money.ts';
import { rateOf } from '../../estimate.ts';
import type { Reservation } from '../../fairest.ts';
import { outcomeColumns, withinReason } from '../../outcome-columns.ts';
import type { RunFacts } from '../../run-facts.ts';
import type { CallOutcome } from '../../work.ts';
import { runFacts } from '../runs/run-facts.ts';
import type { StoredTexts } from '../stored-statement.ts';
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
  tx.sql.send(RESERVE, {
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
export async function sendCall(tx: Tx, token: string): Promise<boolean> {
  return (await tx.sql.run(SEND, { token, nowMs: tx.nowMs })) === 1;
}

// What stays unknown takes no estimate away.
const OUTCOME = `
settled_at_ms = :nowMs, cost_nano_usd = coalesce(:costNanoUsd::bigint, cost_nano_usd),
  latency_ms = coalesce(:latencyMs, latency_ms), first_token_ms = coalesce(:firstTokenMs, first_token_ms),
  uncached_input = :uncachedInput, cache_read = :cacheRead, cache_write = :cacheWrite, output = :output, reasoning = :reasoning`;

const SETTLE = `
UPDATE calls SET state = :state::text, ${OUTCOME}, estimated = estimated AND :costNanoUsd IS NULL,
  sent_at_ms = CASE WHEN :state = 'unknown' THEN coalesce(sent_at_ms, :nowMs) ELSE sent_at_ms END
WHERE call_token = :token AND run_id = :runId AND (state IN ('reserved', 'sent', 'unknown') OR (estimated AND :state = 'settled'))`;

const BELIEVE = `
UPDATE calls SET estimated = false WHERE call_token = :token AND run_id <> :runId AND estimated AND output IS NOT NULL`;

/**
 * Writes what a call of the run was. A row that is settled or released already stays as it is, unless its cost is an estimate. Another
 * run's call, whose answer was only judged here, cost what it cost that run.
 */
export function settleCall(tx: Tx, runId: string, token: string, outcome: CallOutcome): void {
  const values = { token, runId, state: outcome.state, nowMs: tx.nowMs, ...outcomeColumns(outcome) };
  tx.sql.send(SETTLE, values);
  tx.sql.send(BELIEVE, { token, runId });
}

const SETTLE_UNKNOWN = `
UPDATE calls SET state = 'settled', ${OUTCOME},
  estimated = CASE WHEN :costNanoUsd IS NULL THEN estimated OR :estimated::boolean ELSE :estimated END
WHERE call_token = :token AND (state = 'unknown' OR estimated)`;

/** A worker that lost its lease learnt what its own call cost: `unknown`, or an estimate, → `settled`, and nothing else. */
export async function settleUnknownCall(tx: Tx, token: string, outcome: CallOutcome): Promise<void> {
  if (outcome.state === 'settled') await settleLate(tx, token, { ...withinReason(outcome), estimated: false });
}

type LateOutcome = Pick<CallOutcome, 'usage' | 'costNanoUsd' | 'timing' | 'rates'> & { readonly estimated: boolean };

/** The lane hears of an answer only: that a call failed long ago says nothing of now. */
async function settleLate(tx: Tx, token: string, outcome: LateOutcome): Promise<void> {
  const values = { token, estimated: outcome.estimated, nowMs: tx.nowMs, ...outcomeColumns(outcome) };
  if ((await tx.sql.run(SETTLE_UNKNOWN, values)) === 0) return;
  if (outcome.usage !== null) await noteLateCall(tx, token, { ...outcome, failure: null });
}

const END_OPEN = `
UPDATE calls SET state = CASE state WHEN 'sent' THEN 'unknown' ELSE 'released' END, settled_at_ms = :nowMs
WHERE call_token = :token AND state IN ('reserved', 'sent') RETURNING state`;

/**
 * The lease ended without an outcome: never sent → `released`; sent → `unknown`, because it may be billed, unless its answer is
 * stored and says what it cost.
 */
export async function abandonCall(tx: Tx, token: string): Promise<void> {
  const ended = await tx.sql.one<{ state: 'unknown' | 'released' }>(END_OPEN, { token, nowMs: tx.nowMs });
  if (ended?.state === 'released') await noteReleased(tx, token);
  if (ended?.state === 'unknown') await settleByAnswer(tx, token, await unknownAnswered(tx, token));
}

const SELECT_ANSWERED = `
SELECT a.completion, c.run_id, j.model FROM responses a JOIN calls c ON c.call_token = a.call_token
  JOIN jobs j ON j.run_id = c.run_id AND j.job_id = c.job_id
WHERE a.call_token = :token AND (c.state = 'unknown' OR c.estimated)`;

type Answered = { readonly completion: Completion; readonly runId: string; readonly model: string };

/** The answer of a call that nobody knew the outcome of; `undefined` where there is none, or it is known. */
export function unknownAnswered({ sql }: Tx, token: string): Promise<Answered | undefined> {
  return sql.one<Answered>(SELECT_ANSWERED, { token });
}

/**
 * A call that nobody knew the outcome of was answered all the same: it cost what its answer says, by its run's prices, until whoever
 * judges the answer says so.
 */
export async function settleByAnswer(tx: Tx, token: string, answered: Answered | undefined): Promise<void> {
  if (answered === undefined) return;
  const { completion, model } = answered;
  const usage = boundedUsage(completion.usage);
  const cost = callCost({ usage, reportedCostUsd: completion.reportedCostUsd }, rateOf(await runFacts(tx.sql, answered.runId), model));
  if (usage === null && cost === null) return;
  await settleLate(tx, token, { ...withinReason({ usage, costNanoUsd: cost, timing: completion }), estimated: true });
}

export const LEDGER_STATEMENTS: StoredTexts = {
  rows: { END_OPEN, SELECT_ANSWERED },
  changes: { RESERVE, SEND, SETTLE, BELIEVE, SETTLE_UNKNOWN },
};
