import type { Json } from '../../../domain/canonical-json.ts';
import { reaskTokens } from '../../reask-size.ts';
import { flightKeyOf, type RunFacts, storesForOthers } from '../../run-facts.ts';
import { settled } from '../../settled.ts';
import { REASK_ORDER_MS } from '../../waits.ts';
import type { ReaskInput, Settled, StepOutcome } from '../../work.ts';
import { outlookOf } from '../runs/jobs.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { Tx } from '../transactor.ts';
import { advanceJob } from './advance.ts';
import { appendAttempt } from './attempts.ts';
import { endCall } from './end-call.ts';
import { forgetBad, forgetFailures } from './failures.ts';
import { openGatesForAnswer } from './gates.ts';
import { endStep } from './leases.ts';
import type { Settling } from './settling.ts';
import { type CallStep, callStep } from './step-row.ts';

/** A valid answer: stored, served to the twins, and the job moves on. */
export async function settleAnswered(settling: Settling, outcome: Extract<StepOutcome, { kind: 'answered' }>): Promise<Settled> {
  const { tx, run } = settling;
  const { callToken } = outcome;
  const step = callStep(settling.step);
  // The lane is looked at before the step ends: what follows is sent with that, and not waited for.
  const ending = endCall(settling, outcome, null);
  acceptResponse(tx, outcome);
  if (storesForOthers(run.settings.cacheMode)) storeInCache(tx, step.key, callToken);
  appendAttempt(tx, step, { outcome: 'succeeded', callToken, failure: null, counted: step.counted, final: true });
  endStep(tx, step, { state: 'succeeded', outcome: 'answered', callToken });
  forgetFailures(tx, run.runId, [step.key]);
  forgetBad(tx, [step.key]);
  openGatesForAnswer(tx, run, step.key);
  const [paused, progress] = await Promise.all([ending, advanceJob(tx, run, step.jobId, step.leaseOwner ?? '')]);
  return settled({ ...progress, paused });
}

/** An answer that does not fit its schema: kept for audit, and the model is asked again in a step of its own. */
export async function settleSuperseded(settling: Settling, outcome: Extract<StepOutcome, { kind: 'superseded' }>): Promise<Settled> {
  const { tx, run } = settling;
  const { callToken, failure } = outcome;
  const step = callStep(settling.step);
  const paused = await endCall(settling, outcome, null);
  rejectResponse(tx, callToken);
  appendAttempt(tx, step, { outcome: 'superseded', callToken, failure, counted: step.counted, final: true });
  endStep(tx, step, { state: 'succeeded', outcome: 'superseded', callToken });
  // The re-ask is a new question with attempts of its own.
  forgetFailures(tx, run.runId, [step.key]);
  await insertReask(tx, run, step, outcome.reask);
  return settled({ ...(await advanceJob(tx, run, step.jobId, step.leaseOwner ?? '')), paused });
}

const ACCEPT = `
UPDATE responses SET judgement = 'valid', judged_at_ms = :nowMs, answer = :answer, repaired = :repaired,
  cost_nano_usd = coalesce((SELECT c.cost_nano_usd FROM calls c WHERE c.call_token = :callToken), cost_nano_usd)
WHERE call_token = :callToken`;

function acceptResponse(tx: Tx, outcome: { callToken: string; answer: Json; repaired: boolean }): void {
  const { callToken, answer, repaired } = outcome;
  tx.sql.sendOne(ACCEPT, { callToken, answer: JSON.stringify(answer), repaired, nowMs: tx.nowMs });
}

const REJECT = `
UPDATE responses SET judgement = 'invalid', judged_at_ms = :nowMs, answer = NULL, repaired = false
WHERE call_token = :callToken AND judgement = 'none'`;

/** Judged and of no use; nothing when the call left no response. */
export function rejectResponse(tx: Tx, callToken: string): void {
  tx.sql.send(REJECT, { callToken, nowMs: tx.nowMs });
}

const STORE = `
INSERT INTO cache (key, call_token, stored_at_ms) VALUES (:key, :callToken, :nowMs)
ON CONFLICT (key) DO UPDATE SET call_token = excluded.call_token, stored_at_ms = excluded.stored_at_ms`;

function storeInCache(tx: Tx, key: string, callToken: string): void {
  tx.sql.send(STORE, { key, callToken, nowMs: tx.nowMs });
}

const INSERT_REASK = `
WITH added AS (
  INSERT INTO steps (run_id, job_id, kind, step_index, key, flight_key, lane_id, input_tokens, max_input_tokens, prefix, state, gate, order_ms,
    seq, run_at_ms, fresh_after_ms)
  SELECT run_id, job_id, 'reask', step_index, key, :flightKey, lane_id, input_tokens + :tokens::bigint, max_input_tokens + :maxTokens::bigint,
    prefix, :state, :gate, :orderMs::bigint, seq, :nowMs::bigint, fresh_after_ms
  FROM steps WHERE step_id = :stepId RETURNING step_id)
INSERT INTO step_inputs (step_id, input, input_kind, reask)
SELECT a.step_id, i.input, i.input_kind, :reask::json FROM added a LEFT JOIN step_inputs i ON i.step_id = :stepId`;

async function insertReask(tx: Tx, run: RunFacts, step: CallStep, input: ReaskInput): Promise<void> {
  const cancelled = (await outlookOf(tx, run, step)) !== 'open';
  const reask = JSON.stringify(input);
  tx.sql.sendOne(INSERT_REASK, {
    stepId: step.stepId,
    flightKey: flightKeyOf(run, step.key),
    reask,
    ...reaskTokens(reask),
    state: cancelled ? 'cancelled' : 'queued',
    gate: cancelled ? null : step.laneId,
    orderMs: REASK_ORDER_MS,
    nowMs: tx.nowMs,
  });
}

export const SETTLE_ANSWER_STATEMENTS: StoredTexts = { changes: { ACCEPT, REJECT, STORE, INSERT_REASK } };
