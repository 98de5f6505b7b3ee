import { LONGEST_WAIT_MS } from '../retry.ts';
import { endingOf, withAnswer, withBreaker, withHeaders, withoutAnswer, withRefusal } from './after-call.ts';
import { breakerBlock, CLOSED, probing, unprobed } from './breaker.ts';
import { CAREFUL, mayRun, paced } from './concurrency.ts';
import type { CallSeen, LanePace, LanePause, LaneState, TokenEstimate } from './lane.ts';
import { flowOf, givenBack, type Meter, NEW_METER, NOTHING_TOLD, readyAtMs, sent, taken } from './meter.ts';
import { NO_REFUSALS } from './refusals.ts';
import { namedPause, troublePause } from './trouble.ts';

/** Why a lane sends nothing now. `untilMs`: it may then; `null`: once another call ends, or a person acts. */
export type LaneBlock = {
  readonly blockedBy: 'lane_paused' | 'lane_cooldown' | 'lane_breaker' | 'lane_concurrency' | 'lane_requests' | 'lane_tokens';
  readonly untilMs: number | null;
  /** Of `lane_concurrency`. */
  readonly slots?: Slots;
};

/** Calls that run, over all processes, and how many may at once: `of` now, `atMost` at any time. */
export type Slots = { readonly taken: number; readonly of: number; readonly atMost: number };

/** Of a lane that nothing is known of. */
export const NEW_PACE: LanePace = {
  requests: NEW_METER,
  tokens: NEW_METER,
  concurrency: CAREFUL,
  breaker: CLOSED,
  refusals: NO_REFUSALS,
  inputFactors: {},
  cachesPrompts: false,
  sendLagMs: null,
  troubleSinceMs: null,
};

type Part = 'requests' | 'tokens' | 'concurrency' | 'breaker' | 'refusals';

/** A lane as another version may have stored it. */
export type StoredPace = Partial<Omit<LanePace, Part>> & { readonly [Name in Part]?: Partial<LanePace[Name]> };

/** What was stored of a lane, with all that it lacks. */
export function paceFrom(stored: StoredPace): LanePace {
  const { concurrency } = stored;
  return {
    ...NEW_PACE,
    ...stored,
    requests: meterFrom(stored.requests),
    tokens: meterFrom(stored.tokens),
    concurrency: { ...CAREFUL, ...concurrency, round: { ...CAREFUL.round, ...concurrency?.round } },
    breaker: { ...CLOSED, ...stored.breaker },
    refusals: { ...NO_REFUSALS, ...stored.refusals },
  };
}

function meterFrom(stored: Partial<Meter> = {}): Meter {
  return { ...NEW_METER, ...stored, told: { ...NOTHING_TOLD, ...stored.told }, window: { ...NEW_METER.window, ...stored.window } };
}

/** What keeps a lane from sending anything now. A person's matter comes before what time mends. */
export function laneBlock(nowMs: number, lane: LaneState): LaneBlock | null {
  const { pause, running, limits, pace } = lane;
  if (pause !== null && (pause.untilMs === null || pause.untilMs > nowMs)) return { blockedBy: 'lane_paused', untilMs: pause.untilMs };
  const restMs = pace.refusals.restUntilMs - nowMs;
  if (restMs > 0 && restMs <= LONGEST_WAIT_MS) return { blockedBy: 'lane_cooldown', untilMs: pace.refusals.restUntilMs };
  const breaker = breakerBlock(nowMs, pace.breaker, running);
  if (breaker !== null) return { blockedBy: 'lane_breaker', ...breaker };
  const of = concurrencyOf(lane);
  if (running >= of) return { blockedBy: 'lane_concurrency', untilMs: null, slots: { taken: running, of, atMost: limits.concurrency } };
  const flow = flowOf(pace.requests, limits.requestsPerMinute);
  const untilMs = flow === null ? null : readyAtMs(nowMs, pace.requests, flow, 1);
  return untilMs === null ? null : { blockedBy: 'lane_requests', untilMs };
}

/** Calls that may run at once on a lane. */
export function concurrencyOf({ limits, pace }: Pick<LaneState, 'limits' | 'pace'>): number {
  return limits.adaptive ? mayRun(pace.concurrency, limits.concurrency) : limits.concurrency;
}

/** What keeps a lane from sending a request of so many tokens, when it may send at all. */
export function tokensBlock(nowMs: number, { pace, limits }: LaneState, tokens: number): LaneBlock | null {
  const flow = flowOf(pace.tokens, limits.tokensPerMinute);
  const untilMs = flow === null ? null : readyAtMs(nowMs, pace.tokens, flow, tokens);
  return untilMs === null ? null : { blockedBy: 'lane_tokens', untilMs };
}

/** What a call takes of its lane's tokens: its input as the model's server counts, and the most that it may answer. */
export function tokensOf(pace: LanePace, model: string, { inputTokens, maxInputTokens, maxOutputTokens }: TokenEstimate): number {
  const factor = Object.hasOwn(pace.inputFactors, model) ? pace.inputFactors[model] : undefined;
  return (factor === undefined ? maxInputTokens : Math.min(maxInputTokens, Math.ceil(inputTokens * factor))) + maxOutputTokens;
}

const FORGET_MS = 10 * 60_000;

/** A call was granted. */
export function afterGrant(nowMs: number, { pace, limits, running }: LaneState, tokens: number): LanePace {
  const requestFlow = flowOf(pace.requests, limits.requestsPerMinute);
  const tokenFlow = flowOf(pace.tokens, limits.tokensPerMinute);
  const perSecond = [
    ...(requestFlow === null ? [] : [1000 * requestFlow.perMs]),
    ...(tokenFlow === null ? [] : [(1000 * tokenFlow.perMs) / tokens]),
  ];
  // What a server took an hour ago says little of what it takes now.
  const isIdle = running === 0 && nowMs - pace.requests.atMs > FORGET_MS;
  const concurrency = isIdle ? CAREFUL : pace.concurrency;
  const isKnown = perSecond.length > 0 && pace.refusals.count === 0;
  return {
    ...pace,
    requests: taken(nowMs, pace.requests, requestFlow, 1),
    tokens: taken(nowMs, pace.tokens, tokenFlow, tokens),
    concurrency: isKnown ? paced(concurrency, Math.min(...perSecond), limits.concurrency) : concurrency,
    breaker: probing(nowMs, pace.breaker),
  };
}

/** When a call was granted, and what it took of its lane's tokens. */
export type Grant = { readonly grantedAtMs: number; readonly tokens: number };

/** The call leaves now: its server counts it from here on, not from the grant. */
export function afterSent(nowMs: number, lane: LaneState, grant: Grant): LanePace {
  const { pace, limits } = lane;
  const sendLagMs = leastLag(pace.sendLagMs, nowMs - grant.grantedAtMs);
  return {
    ...pace,
    requests: sent(nowMs, pace.requests, flowOf(pace.requests, limits.requestsPerMinute), { units: 1, leastLagMs: sendLagMs }),
    tokens: sent(nowMs, pace.tokens, flowOf(pace.tokens, limits.tokensPerMinute), { units: grant.tokens, leastLagMs: sendLagMs }),
    sendLagMs,
  };
}

/** Of the way up to a longer lag, so much is believed at a time. */
const FORGET_LAG = 0.002;
const LONGEST_LAG_MS = 1000;

function leastLag(least: number | null, lagMs: number): number {
  const lag = Math.min(LONGEST_LAG_MS, Math.max(0, lagMs));
  return least === null || lag < least ? lag : least + FORGET_LAG * (lag - least);
}

/** A granted call never left: it gives back what it took. */
export function afterRelease(nowMs: number, { pace, limits }: LaneState, { grantedAtMs, tokens }: Grant): LanePace {
  return {
    ...pace,
    requests: givenBack(nowMs, pace.requests, flowOf(pace.requests, limits.requestsPerMinute), 1),
    tokens: givenBack(nowMs, pace.tokens, flowOf(pace.tokens, limits.tokensPerMinute), tokens),
    breaker: unprobed(pace.breaker, grantedAtMs),
  };
}

/** What a lane learns of a call that is over; `pause` when nobody can wait for what it learnt. */
export function afterCall(
  nowMs: number,
  lane: LaneState,
  seen: CallSeen,
  by: { readonly maxWaitMs: number; readonly random: number },
): { readonly pace: LanePace; readonly pause: LanePause | null } {
  const pace = withBreaker(nowMs, ended(nowMs, { ...lane, pace: withHeaders(nowMs, lane, seen) }, seen, by.random), seen);
  const troubleSinceMs = troubleSince(nowMs, pace, seen);
  const isRested = pace.refusals.restUntilMs !== lane.pace.refusals.restUntilMs;
  const pause = pauseAfter({ ...pace, troubleSinceMs }, seen, { nowMs, maxWaitMs: by.maxWaitMs, isRested });
  if (pause === null) return { pace: { ...pace, troubleSinceMs }, pause };
  // The pause says it all: once a person, or time, has ended it, the lane gets as long again.
  return { pace: { ...pace, troubleSinceMs: null, refusals: { ...pace.refusals, restUntilMs: nowMs } }, pause };
}

function ended(nowMs: number, lane: LaneState, seen: CallSeen, random: number): LanePace {
  const ending = endingOf(seen);
  if (ending === 'answered') return withAnswer(nowMs, lane, seen);
  return ending === 'refused' ? withRefusal(nowMs, lane, seen, random) : withoutAnswer(nowMs, lane, seen, ending);
}

function troubleSince(nowMs: number, { troubleSinceMs, breaker }: LanePace, seen: CallSeen): number | null {
  const ending = endingOf(seen);
  if (ending === 'answered' || ending === 'alive') return null;
  const isTrouble = ending === 'refused' || breaker.probeAtMs !== null;
  return isTrouble ? Math.min(nowMs, troubleSinceMs ?? nowMs) : troubleSinceMs;
}

function pauseAfter(
  { refusals, troubleSinceMs }: LanePace,
  { failure }: CallSeen,
  by: { readonly nowMs: number; readonly maxWaitMs: number; readonly isRested: boolean },
): LanePause | null {
  const message = failure?.class === 'rate' ? failure.message : 'the server says that nothing remains of its limit';
  const rested = by.isRested ? namedPause(refusals.restUntilMs, message, by) : null;
  if (failure === null || (failure.class !== 'rate' && failure.class !== 'transient')) return rested;
  const named = namedPause(by.nowMs + (failure.retryAfterMs ?? 0), failure.message, by);
  return named ?? rested ?? (troubleSinceMs === null ? null : troublePause(failure, { ...by, sinceMs: troubleSinceMs }));
}
