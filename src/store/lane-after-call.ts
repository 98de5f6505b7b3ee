import type { LanePace, LanePause, LaneState } from '../domain/lane/lane.ts';
import { afterCall, afterRelease, type Grant } from '../domain/lane/pace.ts';
import type { Failure } from '../domain/reason.ts';
import { estimateOf } from './estimate.ts';
import type { RunFacts } from './run-facts.ts';
import type { CallOutcome } from './work.ts';

/** `failure` is `null` when an answer came, good or bad. `left`: the call was sent. */
export type CallEnd = Pick<CallOutcome, 'usage' | 'timing' | 'rates'> & { readonly failure: Failure | null; readonly left: boolean };

type Ended = {
  readonly nowMs: number;
  readonly random: number;
  readonly run: RunFacts;
  readonly lane: LaneState;
  readonly step: { readonly model: string; readonly key: string; readonly inputTokens: number; readonly maxInputTokens: number };
  readonly grant: Grant;
  /** The call's step still counts among those that run. */
  readonly isHeld: boolean;
};

/** What a lane learns of a call that is over. A call that never left gives back what it took. */
export function laneAfterCall(ended: Ended, end: CallEnd): { readonly pace: LanePace; readonly pause: LanePause | null } {
  const { nowMs, random, run, lane, step, grant, isHeld } = ended;
  const seen = {
    grantedAtMs: grant.grantedAtMs,
    grantedTokens: grant.tokens,
    estimate: estimateOf(run, step),
    model: step.model,
    key: step.key,
    running: lane.running + Number(!isHeld),
    failure: end.failure,
    usage: end.usage,
    timing: end.timing ?? null,
    rates: end.rates ?? null,
  };
  const { pace, pause } = afterCall(nowMs, lane, seen, { maxWaitMs: run.settings.retry.maxWaitMs, random });
  return { pace: end.left ? pace : withGivenBack(nowMs, { ...lane, pace }, grant), pause };
}

/** The breaker has learnt of the call already: it is no probe that another one may replace. */
function withGivenBack(nowMs: number, lane: LaneState, grant: Grant): LanePace {
  return { ...afterRelease(nowMs, lane, grant), breaker: lane.pace.breaker };
}
