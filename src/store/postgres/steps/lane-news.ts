import type { LaneState } from '../../../domain/lane/lane.ts';
import { afterGrant, afterRelease, afterSent, type Grant } from '../../../domain/lane/pace.ts';
import { type CallEnd, laneAfterCall } from '../../lane-after-call.ts';
import type { RunFacts } from '../../run-facts.ts';
import type { Paused } from '../../work.ts';
import { runFacts } from '../runs/run-facts.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { Tx } from '../transactor.ts';
import { loadLane, savePace } from './lanes.ts';
import { pauseLane } from './pauses.ts';
import { type CallStep, callStep, STEP_COLUMNS, type Step } from './step-row.ts';

/** A call takes its tokens of the lane. */
export function noteGrant(tx: Tx, lane: LaneState, tokens: number): void {
  savePace(tx, lane, afterGrant(tx.nowMs, lane, tokens));
}

const SELECT_GRANT = `
SELECT reserved_at_ms AS granted_at_ms, granted_tokens AS tokens FROM calls WHERE call_token = :token AND granted_tokens IS NOT NULL`;

/** What the call took of its lane; `undefined` when the lane has heard the end of it. */
function grantOf(tx: Tx, token: string): Promise<Grant | undefined> {
  return tx.sql.one<Grant>(SELECT_GRANT, { token });
}

const FORGET_GRANT = `UPDATE calls SET granted_tokens = NULL WHERE call_token = :token AND granted_tokens IS NOT NULL`;

/** What a call took, and the lane that it took it of. */
export type LaneGrant = { readonly grant: Grant | undefined; readonly lane: LaneState };

export async function laneGrant(tx: Tx, run: RunFacts, step: CallStep, token: string): Promise<LaneGrant> {
  const [grant, lane] = await Promise.all([grantOf(tx, token), loadLane(tx, run, step.laneId)]);
  return { grant, lane };
}

/** The call leaves now. */
export function noteSent(tx: Tx, { grant, lane }: LaneGrant): void {
  if (grant === undefined) return;
  savePace(tx, lane, afterSent(tx.nowMs, lane, grant));
}

const STEP_OF_CALL = `
SELECT ${STEP_COLUMNS} FROM calls c JOIN steps s ON s.step_id = c.step_id WHERE c.call_token = :token`;

/** The call never left. */
export async function noteReleased(tx: Tx, token: string): Promise<void> {
  const [grant, step] = await Promise.all([grantOf(tx, token), tx.sql.one<Step>(STEP_OF_CALL, { token })]);
  if (grant === undefined || step === undefined) return;
  const lane = await loadLane(tx, await runFacts(tx.sql, step.runId), callStep(step).laneId);
  savePace(tx, lane, afterRelease(tx.nowMs, lane, grant));
  tx.sql.send(FORGET_GRANT, { token });
}

type EndedCall = { readonly step: CallStep; readonly token: string; readonly isHeld: boolean };

/**
 * The lane learns how a call ended, once, and may be paused by it, which is returned. A call that never left gives back what it took.
 * `isHeld`: the call's step still counts among those that run.
 */
export async function noteCall(tx: Tx, run: RunFacts, call: EndedCall, end: CallEnd): Promise<Paused | null> {
  const { step, token, isHeld } = call;
  const { grant, lane } = await laneGrant(tx, run, step, token);
  if (grant === undefined) return null;
  const random = tx.random();
  const { pace, pause } = laneAfterCall({ nowMs: tx.nowMs, random, run, lane, step, grant, isHeld }, end);
  savePace(tx, lane, pace);
  tx.sql.send(FORGET_GRANT, { token });
  return pause === null ? null : pauseLane(tx, lane.id, pause);
}

/** The same for a call whose lease was lost before: somebody learnt all the same how it ended. */
export async function noteLateCall(tx: Tx, token: string, end: Omit<CallEnd, 'left'>): Promise<void> {
  const step = await tx.sql.one<Step>(STEP_OF_CALL, { token });
  if (step === undefined) return;
  await noteCall(tx, await runFacts(tx.sql, step.runId), { step: callStep(step), token, isHeld: false }, { ...end, left: true });
}

export const LANE_NEWS_STATEMENTS: StoredTexts = { rows: { SELECT_GRANT, STEP_OF_CALL }, changes: { FORGET_GRANT } };
