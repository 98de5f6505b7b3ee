import type { StepKind } from '../../../domain/step.ts';
import { type RunFacts, storesForOthers } from '../../run-facts.ts';
import type { Tx } from '../transactor.ts';
import type { CallStep } from './step-row.ts';

/** A valid answer that a step may take without a call, and who paid for it. */
export type Hit = { readonly callToken: string; readonly runId: string; readonly jobId: string };

/** What a step wants answered. Only answers later than `freshAfterMs` count; `null`: all that the run allows. */
export type Question = { readonly key: string; readonly kind: StepKind; readonly freshAfterMs: number | null };

// An imported answer may name any run as the one that paid for it.
const OWN_ANSWER = `
SELECT call_token AS callToken, run_id AS runId, job_id AS jobId FROM responses
WHERE run_id = :runId AND key = :key AND judgement = 'valid' AND imported = 0 AND (:freshAfterMs IS NULL OR judged_at_ms > :freshAfterMs)
ORDER BY judged_at_ms DESC, rowid DESC LIMIT 1`;

const CACHED_ANSWER = `
SELECT c.call_token AS callToken, r.run_id AS runId, r.job_id AS jobId
FROM cache c JOIN responses r ON r.call_token = c.call_token
WHERE c.key = :key
  AND (:freshAfterMs IS NULL OR c.stored_at_ms > :freshAfterMs)
  AND (:ttlMs IS NULL OR c.stored_at_ms + :ttlMs > :nowMs)`;

/** The answer that a step may take, now. What the run itself paid for always counts; the cache by the run's mode. */
export function findHit(tx: Tx, run: RunFacts, { key, freshAfterMs }: Question): Hit | null {
  const own = tx.sql.one<Hit>(OWN_ANSWER, { runId: run.runId, key, freshAfterMs });
  if (own !== undefined) return own;
  if (run.settings.cacheMode === 'off') return null;
  const values = { key, freshAfterMs: later(run.freshAfterMs, freshAfterMs), ttlMs: run.settings.cacheTtlMs, nowMs: tx.nowMs };
  return tx.sql.one<Hit>(CACHED_ANSWER, values) ?? null;
}

// What another run took and rejected is judged here all the same: it is this run's own answer, and would be paid for again.
const OWN_UNJUDGED = `
SELECT r.call_token AS callToken FROM responses r
WHERE r.run_id = :runId AND r.key = :key AND r.step_kind = :kind AND r.judgement IN ('none', 'invalid')
  AND (:freshAfterMs IS NULL OR r.recorded_at_ms > :freshAfterMs)
  AND (r.judgement = 'none' OR NOT EXISTS (
    SELECT 1 FROM attempts a
    WHERE a.run_id = r.run_id AND a.job_id = r.job_id AND a.call_token = r.call_token AND a.outcome NOT IN ('lost', 'handed_back')))
ORDER BY r.recorded_at_ms, r.rowid LIMIT 1`;

// Another run's response is left to the step that holds its call, and is taken under the rules of the cache.
const OTHERS_UNJUDGED = `
SELECT r.call_token AS callToken FROM responses r
WHERE r.key = :key AND r.judgement = 'none' AND r.step_kind = :kind AND r.step_kind <> 'reask' AND r.run_id <> :runId
  AND (:freshAfterMs IS NULL OR r.recorded_at_ms > :freshAfterMs)
  AND (:ttlMs IS NULL OR r.recorded_at_ms + :ttlMs > :nowMs)
  AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.lease_token = r.call_token)
  AND (SELECT o.settings ->> '$.cacheMode' FROM runs o WHERE o.run_id = r.run_id) IN ('read-write', 'refresh')
ORDER BY r.recorded_at_ms, r.rowid LIMIT 1`;

type CallRef = { readonly callToken: string };

/**
 * A paid response of this key that this run has not judged: its own, or one that another run left behind. A re-ask is only served by
 * a response to a re-ask, and that of its own run, because it mends one answer.
 */
export function findUnjudged(tx: Tx, run: RunFacts, { key, kind, freshAfterMs }: Question): string | null {
  const { runId, settings } = run;
  const own = tx.sql.one<CallRef>(OWN_UNJUDGED, { runId, key, kind, freshAfterMs });
  if (own !== undefined) return own.callToken;
  if (settings.cacheMode === 'off') return null;
  const values = { runId, key, kind, freshAfterMs: later(run.freshAfterMs, freshAfterMs), ttlMs: settings.cacheTtlMs, nowMs: tx.nowMs };
  return tx.sql.one<CallRef>(OTHERS_UNJUDGED, values)?.callToken ?? null;
}

/** The gate of a queued step: its lane, or `null` when nothing has to be called. */
export function gateOf(tx: Tx, run: RunFacts, step: CallStep): string | null {
  if (findHit(tx, run, step) !== null) return null;
  return findUnjudged(tx, run, step) === null ? step.laneId : null;
}

function later(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

const OPEN_OWN_GATES = `
UPDATE steps SET gate = NULL, parked = 0
WHERE key = :key AND run_id = :runId AND state = 'queued'`;

const OPEN_OTHER_GATES = `
UPDATE steps SET gate = NULL, parked = 0
WHERE key = :key AND run_id <> :runId AND state = 'queued'
  AND (SELECT r.settings ->> '$.cacheMode' FROM runs r WHERE r.run_id = steps.run_id) <> 'off'`;

/** After a valid answer: its queued twins become hits. The claim looks again whether a hit holds, so this may be generous. */
export function openGatesForAnswer(tx: Tx, run: RunFacts, key: string): void {
  tx.sql.run(OPEN_OWN_GATES, { key, runId: run.runId });
  if (storesForOthers(run.settings.cacheMode)) tx.sql.run(OPEN_OTHER_GATES, { key, runId: run.runId });
}

/** After an answer came from elsewhere: the queued steps of all runs that use the cache become hits. */
export function openGatesForImport(tx: Tx, key: string): void {
  tx.sql.run(OPEN_OTHER_GATES, { key, runId: '' });
}

const OPEN_JUDGE_GATES = `
UPDATE steps SET gate = NULL, parked = 0
WHERE key = :key AND run_id = :runId AND kind = :kind AND state = 'queued'`;

/** After a response was stored: the queued steps that could judge it need no call. */
export function openGatesForResponse(tx: Tx, runId: string, key: string, kind: StepKind): void {
  tx.sql.run(OPEN_JUDGE_GATES, { key, runId, kind });
}

const CLOSE_GATE = `UPDATE steps SET gate = lane_id WHERE step_id = :stepId AND state = 'queued'`;

/** What stood behind an open gate is gone (expired, judged by another): the step needs its grants again. */
export function closeGate(tx: Tx, step: CallStep): void {
  tx.sql.runOne(CLOSE_GATE, { stepId: step.stepId });
}
