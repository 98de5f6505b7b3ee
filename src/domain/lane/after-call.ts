import type { Usage } from '../money.ts';
import { isRateLimit } from '../retry.ts';
import { afterEnd } from './breaker.ts';
import { afterAnswer, afterRefused, afterTrouble } from './concurrency.ts';
import { acceptedMeter, refusedMeter, uncounted } from './found.ts';
import { isPlausibleInput, LARGEST_FACTOR, withFactor } from './input-factor.ts';
import type { CallSeen, LaneLimits, LanePace, LaneState, TokenEstimate } from './lane.ts';
import { emptied, flowOf, givenBack, limitOf, type Meter } from './meter.ts';
import { afterAnswered, afterRefusal, beginsEpisode, restedUntil } from './refusals.ts';
import type { Finished } from './round.ts';
import { toldMeter, untoldMeter } from './told.ts';

/** How a call ended, as far as its lane cares. `alive`: no answer, but the endpoint is up and lets us in. */
export type Ending = 'answered' | 'alive' | 'refused' | 'transient' | 'untold';

/** How a call ended. */
export function endingOf({ failure }: CallSeen): Ending {
  if (failure === null || failure.class === 'quality') return 'answered';
  if (isRateLimit(failure)) return 'refused';
  if (failure.class === 'permanent' || failure.class === 'capability') return 'alive';
  return failure.class === 'transient' ? 'transient' : 'untold';
}

/** A lane with what the response's headers tell of its limits. */
export function withHeaders(nowMs: number, { pace, limits }: LaneState, seen: CallSeen): LanePace {
  const { rates, grantedAtMs, grantedTokens } = seen;
  const isAnswered = endingOf(seen) === 'answered';
  const others = seen.running - 1;
  const tell = (unit: 'requests' | 'tokens', stated: number | null, inFlight: number) => {
    const window = rates?.[unit] ?? null;
    if (window !== null) return toldMeter(pace[unit], window, { nowMs, grantedAtMs, stated, inFlight });
    return { meter: isAnswered ? untoldMeter(pace[unit]) : pace[unit], restUntilMs: null };
  };
  const requests = tell('requests', limits.requestsPerMinute, others);
  const tokens = tell('tokens', limits.tokensPerMinute, others * grantedTokens);
  const refusals = restedUntil(restedUntil(pace.refusals, requests.restUntilMs), tokens.restUntilMs);
  return { ...pace, requests: requests.meter, tokens: tokens.meter, refusals };
}

/** A lane that was refused. */
export function withRefusal(nowMs: number, { pace, limits }: LaneState, seen: CallSeen, random: number): LanePace {
  const { grantedAtMs, grantedTokens, failure } = seen;
  const isNew = beginsEpisode(pace.refusals, { grantedAtMs, nowMs });
  const limited = failure?.limited ?? 'requests';
  const refused = afterRefusal(pace.refusals, { grantedAtMs, nowMs, retryAfterMs: failure?.retryAfterMs ?? null, random });
  // Where calls at once are counted, the end of any that is under way makes room: only the refused question waits.
  const mayGoOn = limited === 'concurrency' && seen.running > 1;
  const refusals = mayGoOn ? { ...refused, restUntilMs: pace.refusals.restUntilMs } : refused;
  // Refused again after its rest, the lane asks on with single calls.
  const idleMs = refusals.count > 1 ? Math.max(0, refusals.restUntilMs - nowMs) : 0;
  const cut = (meter: Meter, units: number, stated: number | null, isLimited: boolean) => {
    if (!isNew) return uncounted(meter, units);
    const by = { nowMs, units, limitPerMinute: limitOf(meter, stated), restedUntilMs: pace.refusals.restUntilMs };
    const next = isLimited ? refusedMeter(meter, by) : uncounted(meter, units);
    return emptied(nowMs, next, flowOf(next, stated), idleMs);
  };
  return {
    ...pace,
    requests: cut(pace.requests, 1, limits.requestsPerMinute, limited === 'requests'),
    tokens: cut(pace.tokens, grantedTokens, limits.tokensPerMinute, limited === 'tokens'),
    concurrency:
      isNew && limits.adaptive
        ? afterRefused(pace.concurrency, finished(nowMs, limits, seen), limited === 'concurrency')
        : pace.concurrency,
    refusals,
  };
}

/** A lane that answered. */
export function withAnswer(nowMs: number, { pace, limits }: LaneState, seen: CallSeen): LanePace {
  const { grantedAtMs, grantedTokens, usage } = seen;
  const accepted = (meter: Meter, units: number, stated: number | null) =>
    grantedAtMs > pace.refusals.lastAtMs ? acceptedMeter(meter, { nowMs, units, limitPerMinute: limitOf(meter, stated) }) : meter;
  const tokens = accepted(pace.tokens, grantedTokens, limits.tokensPerMinute);
  return {
    ...pace,
    requests: accepted(pace.requests, 1, limits.requestsPerMinute),
    tokens: trued(nowMs, { meter: tokens, limits }, seen),
    concurrency: limits.adaptive ? afterAnswer(pace.concurrency, finished(nowMs, limits, seen)) : pace.concurrency,
    inputFactors: usage === null ? pace.inputFactors : withFactor(pace.inputFactors, seen, inputOf(usage)),
    cachesPrompts: pace.cachesPrompts || (usage?.cacheRead ?? 0) > 0,
    refusals: afterAnswered(pace.refusals, grantedAtMs),
  };
}

/** A lane on which a call ended without an answer and without being refused. */
export function withoutAnswer(nowMs: number, { pace, limits }: LaneState, seen: CallSeen, ending: Ending): LanePace {
  const concurrency =
    ending === 'transient' && limits.adaptive ? afterTrouble(pace.concurrency, finished(nowMs, limits, seen)) : pace.concurrency;
  const refusals = ending === 'alive' ? afterAnswered(pace.refusals, seen.grantedAtMs) : pace.refusals;
  return { ...pace, concurrency, refusals };
}

/** A breaker after any end. */
export function withBreaker(nowMs: number, pace: LanePace, { grantedAtMs, key, failure }: CallSeen): LanePace {
  return { ...pace, breaker: afterEnd(pace.breaker, { nowMs, grantedAtMs, key, failed: failure?.class ?? null }) };
}

function finished(nowMs: number, limits: LaneLimits, { grantedAtMs, running, usage, timing }: CallSeen): Finished {
  const latencyMs = timing?.latencyMs ?? null;
  return { nowMs, grantedAtMs, stated: limits.concurrency, running, outputTokens: usage?.output ?? null, latencyMs };
}

function inputOf(usage: Usage): number {
  return usage.uncachedInput + usage.cacheRead + usage.cacheWrite;
}

/** The grant was an estimate: the bucket takes what the server counted. What was reserved for the answer stays taken where it counts so. */
function trued(
  nowMs: number,
  { meter, limits }: { meter: Meter; limits: LaneLimits },
  { grantedTokens, estimate, usage }: CallSeen,
): Meter {
  if (usage === null || !isPlausible(usage, estimate)) return meter;
  const { maxInputTokens, maxOutputTokens } = estimate;
  const input = grantedTokens - maxOutputTokens - inputOf(usage);
  // Taken at its upper bound, the input left the server's own bucket full all the while: that is not there to be had any more.
  const spareInput = grantedTokens >= maxInputTokens + maxOutputTokens ? Math.min(0, input) : input;
  const spareOutput = limits.tokenAccounting === 'actual' ? maxOutputTokens - usage.output : 0;
  const units = spareInput + spareOutput;
  return givenBack(nowMs, uncounted(meter, units), flowOf(meter, limits.tokensPerMinute), units);
}

/** Beyond it a server's count is no count. */
function isPlausible(usage: Usage, estimate: TokenEstimate): boolean {
  return isPlausibleInput(inputOf(usage), estimate) && usage.output <= LARGEST_FACTOR * estimate.maxOutputTokens;
}
