import { LONGEST_WAIT_MS } from '../../../domain/retry.ts';
import { UNTIL_A_PERSON_ACTS_MS } from '../../waits.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { Tx } from '../transactor.ts';
import type { Step } from './step-row.ts';

const PARK_TWINS = `
UPDATE steps SET parked = true, run_at_ms = :runAtMs
WHERE key = :key AND run_id = :runId AND state = 'queued' AND gate IS NOT NULL AND run_at_ms < ${UNTIL_A_PERSON_ACTS_MS}`;

/** The queued twins of a failed key wait as long as it does. */
export function parkTwins(tx: Tx, runId: string, key: string, runAtMs: number): void {
  if (runAtMs > tx.nowMs) tx.sql.send(PARK_TWINS, { runId, key, runAtMs });
}

const PARK_MODEL = `
UPDATE steps SET parked = true, run_at_ms = ${UNTIL_A_PERSON_ACTS_MS}
WHERE run_id = :runId AND state = 'queued' AND gate IS NOT NULL
  AND (SELECT j.model FROM jobs j WHERE j.run_id = steps.run_id AND j.job_id = steps.job_id) = :model`;

/** All queued calls of a paused model wait for a person. Ones that are queued later are parked when their turn comes. */
export function parkModel(tx: Tx, runId: string, model: string): void {
  tx.sql.send(PARK_MODEL, { runId, model });
}

const IS_PAUSED = `SELECT 1 AS found FROM paused_models WHERE run_id = :runId AND model = :model`;

/** Whether the step's model is paused: then it waits for a person too. */
export async function isOfPausedModel({ sql }: Tx, { runId, model }: Step): Promise<boolean> {
  return (await sql.one(IS_PAUSED, { runId, model })) !== undefined;
}

const PARK = `
UPDATE steps SET parked = true, run_at_ms = ${UNTIL_A_PERSON_ACTS_MS} WHERE step_id = :stepId AND state = 'queued'`;

export function parkForPerson(tx: Tx, { stepId }: Step): void {
  tx.sql.sendOne(PARK, { stepId });
}

// A time further ahead than anyone waits was written before the clock was set back.
const UNPARK_DUE = `
UPDATE steps SET parked = false WHERE run_id = :runId AND state = 'queued' AND parked AND (
  run_at_ms <= :nowMs OR (run_at_ms > :nowMs + :longestWaitMs AND run_at_ms < ${UNTIL_A_PERSON_ACTS_MS}))`;

/** Steps whose time has come join the queue at their old place. */
export function unparkDue(tx: Tx, runId: string): void {
  tx.sql.send(UNPARK_DUE, { runId, nowMs: tx.nowMs, longestWaitMs: LONGEST_WAIT_MS });
}

const UNPARK_MODELS = `
UPDATE steps SET parked = false, run_at_ms = :nowMs
WHERE run_id = :runId AND state = 'queued' AND parked AND run_at_ms = ${UNTIL_A_PERSON_ACTS_MS}`;

/** A person acted. */
export function unparkModels(tx: Tx, runId: string): void {
  tx.sql.send(UNPARK_MODELS, { runId, nowMs: tx.nowMs });
}

export const PARKING_STATEMENTS: StoredTexts = { rows: { IS_PAUSED }, changes: { PARK_TWINS, PARK, UNPARK_DUE } };
