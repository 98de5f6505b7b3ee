import type { StepKind } from '../../../domain/step.ts';
import { type RunFacts, storesForOthers } from '../../run-facts.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { Tx } from '../transactor.ts';
import { findAnswer, isFree } from './answers.ts';
import type { CallStep } from './step-row.ts';

/** The gate of a queued step: its lane, or `null` when nothing has to be called. */
export async function gateOf(tx: Tx, run: RunFacts, step: CallStep): Promise<string | null> {
  return isFree(await findAnswer(tx, run, step)) ? null : step.laneId;
}

const OPEN_GATES = `
UPDATE steps SET gate = NULL, parked = false
WHERE key = :key AND state = 'queued' AND (run_id = :runId OR (
  :forOthers AND (SELECT r.settings ->> 'cacheMode' FROM runs r WHERE r.run_id = steps.run_id) <> 'off'))`;

/** After a valid answer: its queued twins become hits. The claim looks again whether a hit holds, so this may be generous. */
export function openGatesForAnswer(tx: Tx, run: RunFacts, key: string): void {
  tx.sql.send(OPEN_GATES, { key, runId: run.runId, forOthers: storesForOthers(run.settings.cacheMode) });
}

const OPEN_GATES_OF_ALL = `
UPDATE steps SET gate = NULL, parked = false
WHERE key = ANY (:keys::text[]) AND state = 'queued' AND (SELECT r.settings ->> 'cacheMode' FROM runs r WHERE r.run_id = steps.run_id) <> 'off'`;

/** After answers came from elsewhere: the queued steps of all runs that use the cache become hits. */
export function openGatesForImport(tx: Tx, keys: readonly string[]): void {
  tx.sql.send(OPEN_GATES_OF_ALL, { keys });
}

const OPEN_JUDGE_GATES = `
UPDATE steps SET gate = NULL, parked = false
WHERE key = :key AND run_id = :runId AND kind = :kind AND state = 'queued'`;

/** After a response was stored: the queued steps that could judge it need no call. */
export function openGatesForResponse(tx: Tx, runId: string, key: string, kind: StepKind): void {
  tx.sql.send(OPEN_JUDGE_GATES, { key, runId, kind });
}

const CLOSE_GATE = `UPDATE steps SET gate = lane_id WHERE step_id = :stepId AND state = 'queued'`;

/** What stood behind an open gate is gone (expired, judged by another): the step needs its grants again. */
export function closeGate(tx: Tx, step: CallStep): void {
  tx.sql.sendOne(CLOSE_GATE, { stepId: step.stepId });
}

export const GATES_STATEMENTS: StoredTexts = { changes: { OPEN_GATES, OPEN_JUDGE_GATES, CLOSE_GATE } };
