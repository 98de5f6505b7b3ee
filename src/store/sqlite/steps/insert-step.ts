import { badAnswer, type KnownBad } from '../../known-bad.ts';
import type { NewStep } from '../../plan-rows.ts';
import { flightKeyOf, type RunFacts } from '../../run-facts.ts';
import type { Tx } from '../transactor.ts';
import { keyFacts, knownBad } from './failures.ts';
import { findHit, findUnjudged, type Question } from './hits.ts';
import { addInput } from './step-inputs.ts';

/** Of which job a new step is, where it stands in the queue, and how new its answer must be. */
export type StepPlace = {
  readonly jobId: string;
  readonly orderMs: number;
  readonly seq: number;
  /** `null`: any answer that the run allows. */
  readonly freshAfterMs: number | null;
  /** Tags that its call needs, as one text. */
  readonly requires: string;
};

/** What a run has learnt of the key, or an earlier run of its answer; `null` when it may be asked. */
export function badAnswerTo(tx: Tx, run: RunFacts, step: Pick<NewStep, 'key' | 'kind'>, freshAfterMs: number | null): KnownBad | null {
  const { failed, reason, message } = keyFacts(tx.sql, run.runId, step.key);
  const failedHere = failed === 1 && reason !== null ? { reason, message: message ?? '' } : null;
  const hasHit = findHit(tx, run, { ...step, freshAfterMs }) !== null;
  return badAnswer(run.settings.cacheMode, { failedHere, knownBad: knownBad(tx.sql, step.key), hasHit });
}

/** Whether an answer to the question is there, judged or not, so that nothing need be called. */
export function isFree(tx: Tx, run: RunFacts, question: Question): boolean {
  return findHit(tx, run, question) !== null || findUnjudged(tx, run, question) !== null;
}

const INSERT_KEY_RECORD = `INSERT INTO key_records (key, record) VALUES (:key, :record) ON CONFLICT DO NOTHING`;

const INSERT_STEP = `
INSERT INTO steps (run_id, job_id, kind, step_index, key, flight_key, lane_id, input_tokens, max_input_tokens, prefix, state, gate, order_ms, seq, run_at_ms,
  parked, outcome, fresh_after_ms, requires)
VALUES (:runId, :jobId, :kind, :index, :key, :flightKey, :laneId, :inputTokens, :maxInputTokens, :prefix, :state, :gate, :orderMs, :seq, :runAtMs,
  :parked, :outcome, :freshAfterMs, :requires)`;

/** Inserts a call step with what it asks; `failed`: its answer is known to be bad. */
export function insertStep(tx: Tx, run: RunFacts, place: StepPlace, step: NewStep & { state: 'queued' | 'failed' | 'cancelled' }): void {
  const { key, laneId, kind, index, inputTokens, maxInputTokens, prefix, state } = step;
  const free = isFree(tx, run, { key, kind, freshAfterMs: place.freshAfterMs });
  const runAtMs = Math.max(tx.nowMs, keyFacts(tx.sql, run.runId, key).notBeforeMs);
  tx.sql.run(INSERT_KEY_RECORD, { key, record: JSON.stringify(step.keyRecord) });
  tx.sql.runOne(INSERT_STEP, {
    ...place,
    ...{ kind, index, key, laneId, inputTokens, maxInputTokens, prefix, state, runAtMs },
    runId: run.runId,
    flightKey: flightKeyOf(run, key),
    gate: state !== 'queued' || free ? null : laneId,
    parked: Number(state === 'queued' && !free && runAtMs > tx.nowMs),
    outcome: state === 'failed' ? 'known_bad' : null,
  });
  addInput(tx, step.input);
}
