import type { Failure } from '../../../domain/reason.ts';
import { costByNow } from '../../estimate.ts';
import { withinReason } from '../../outcome-columns.ts';
import type { CallOutcome, Paused } from '../../work.ts';
import { noteCall, noteReleased } from './lane-news.ts';
import { settleCall } from './ledger.ts';
import { noteWarm } from './prefixes.ts';
import type { Settling } from './settling.ts';
import { callStep } from './step-row.ts';

/**
 * Writes what a call was, and lets its lane learn of it while the step still counts there. Of a stored answer that was only judged the
 * lane has heard when it came. `failure` is `null` when an answer came, good or bad. Returns the pause of the lane that it brought.
 */
export async function endCall(
  settling: Settling,
  ended: { callToken: string; call: CallOutcome },
  failure: Failure | null,
): Promise<Paused | null> {
  const { tx, run, token } = settling;
  const { callToken } = ended;
  const call = withinReason(ended.call);
  settleCall(tx, run.runId, callToken, { ...call, costNanoUsd: call.costNanoUsd ?? costByNow(run, settling.step.model, call) });
  if (callToken !== token) return null;
  const step = callStep(settling.step);
  if (failure === null) noteWarm(tx, step);
  if (step.counted) return noteCall(tx, run, { step, token, isHeld: true }, { ...call, failure, left: call.state !== 'released' });
  await noteReleased(tx, token);
  return null;
}
