import type { FoundRate, Meter } from './meter.ts';

/** A call, as one unit's meter sees it. */
export type FoundBy = {
  readonly nowMs: number;
  /** What the call took of the unit. */
  readonly units: number;
  /** Lowest limit known otherwise, in a minute: nothing is looked for beyond it. */
  readonly limitPerMinute: number | null;
};

/** A refusal that began an episode; the lane had rested until then. */
export type Refused = FoundBy & { readonly restedUntilMs: number };

/** Of the rate that was accepted before the first refusal: that may have emptied a full bucket. */
const FIRST_SHARE = 0.7;
/** Of the rate measured between two refusals. */
const MEASURED_SHARE = 0.96;
const LEAST_CUT = 0.95;
const DEEPEST_CUT = 0.5;
/** By a measure over less than `MEASURED_MS`. */
const SHORT_CUT = 0.85;
const BLIND_CUT = 0.8;
/** By what so many calls within so short a time after a rest tell. */
const DEEPEST_SOON_CUT = 0.25;
const SOON_CALLS = 10;
const SOON_MS = 2000;

/** A measure needs so many calls, and so many times the rest that it began with. */
const MEASURED_CALLS = 20;
const MEASURED_MS = 5000;
const MEASURED_RESTS = 5;
const PACED_SHARE = 0.85;
/** The strictest server's bucket is full after such a rest: what would have come in later was lost. */
const STRICTEST_BURST_MS = 1000;
/** What a full bucket let through at once is not the rate. */
const SHORTEST_FIRST_MS = 1000;
/** While nothing is found the window slides: at a first refusal only the last rate is of interest. */
const SLIDING_WINDOW_MS = 30_000;

/** Growth with each accepted call: at most so much by call, and by second. */
type Growth = { readonly perCall: number; readonly perSecond: number };
const FAST: Growth = { perCall: 0.02, perSecond: 0.2 };
const SLOW: Growth = { perCall: 0.0002, perSecond: 0.0007 };
const BEYOND: Growth = { perCall: 0.003, perSecond: 0.02 };
const NEAR_CEILING = 0.9;
const BEYOND_CEILING = 1.05;
/** Grown by so much, the window begins anew: what was accepted at a lower rate is no measure of the server's. */
const ANOTHER_RATE = 1.1;

/** A meter after a refusal that began an episode. */
export function refusedMeter(meter: Meter, by: Refused): Meter {
  const accepted = Math.max(0, meter.window.accepted - by.units);
  const window = { sinceMs: by.nowMs, accepted: 0 };
  // Nothing was accepted: that is no rate but a closed door, and the rests grow.
  if (accepted < by.units) return { ...meter, window };
  return { ...meter, window, found: cutRate({ ...meter, window: { ...meter.window, accepted } }, by) };
}

function cutRate(meter: Meter, by: Refused): FoundRate {
  const sample = samplePerMinute(meter, by);
  const rate = meter.found?.perMinute ?? by.limitPerMinute;
  if (rate === null) return foundRate(by, FIRST_SHARE * sample, null);
  const clamped = (deepest: number) => Math.min(LEAST_CUT * rate, Math.max(deepest * rate, MEASURED_SHARE * sample));
  // The server's bucket was not empty before, or this lane did not fill it: its rate lies below ours, and nobody knows how far.
  if (!isPaced(meter, by)) return foundRate(by, clampedSoon(meter, by, { rate, sample }), rate);
  if (by.nowMs - meter.window.sinceMs < MEASURED_MS) return foundRate(by, clamped(SHORT_CUT), rate);
  return foundRate(by, clamped(DEEPEST_CUT), Math.min(rate, sample));
}

function foundRate({ units }: FoundBy, rate: number, ceiling: number | null): FoundRate {
  const perMinute = Math.max(units, rate);
  return { perMinute, ceilingPerMinute: ceiling === null ? null : Math.max(units, ceiling), sincePerMinute: perMinute };
}

/** Refused again just after its rest, a lane is far too fast: what left since is no less than what the server takes. */
function clampedSoon({ window }: Meter, by: Refused, { rate, sample }: { readonly rate: number; readonly sample: number }): number {
  const sinceMs = Math.max(by.restedUntilMs, window.sinceMs);
  const isSoon = window.accepted >= SOON_CALLS * by.units && by.nowMs - sinceMs <= SOON_MS;
  return Math.min(BLIND_CUT * rate, isSoon ? Math.max(DEEPEST_SOON_CUT * rate, sample) : rate);
}

/** Long enough, and paced all the time: a lane that sent less than it might leaves the server's bucket full, and says nothing of its rate. */
function isPaced({ window, found }: Meter, { nowMs, units, restedUntilMs, limitPerMinute }: Refused): boolean {
  const { accepted, sinceMs } = window;
  const restMs = Math.max(0, restedUntilMs - sinceMs);
  const pacedMs = nowMs - sinceMs - restMs;
  const paced = ((found?.sincePerMinute ?? limitPerMinute ?? 0) * pacedMs) / 60_000;
  return accepted >= MEASURED_CALLS * units && nowMs - sinceMs >= MEASURED_RESTS * restMs && accepted >= PACED_SHARE * paced;
}

function samplePerMinute({ window, found }: Meter, { nowMs, restedUntilMs }: Refused): number {
  const shortestMs = found === null ? SHORTEST_FIRST_MS : 1;
  const wastedMs = Math.max(0, restedUntilMs - window.sinceMs - STRICTEST_BURST_MS);
  return (window.accepted * 60_000) / Math.max(shortestMs, nowMs - window.sinceMs - wastedMs);
}

/** A refusal of an episode that is known already: its call was no accepted one. */
export function uncounted(meter: Meter, units: number): Meter {
  return { ...meter, window: { ...meter.window, accepted: Math.max(0, meter.window.accepted - units) } };
}

/** A meter after a call that left after the last refusal was accepted. */
export function acceptedMeter(meter: Meter, by: FoundBy): Meter {
  const { found, window } = meter;
  const ageMs = by.nowMs - window.sinceMs;
  if (found === null) {
    const slides = ageMs > SLIDING_WINDOW_MS;
    return slides ? { ...meter, window: { sinceMs: by.nowMs - ageMs / 2, accepted: window.accepted / 2 } } : meter;
  }
  const highest = by.limitPerMinute ?? Number.POSITIVE_INFINITY;
  if (found.perMinute >= highest) return meter;
  // That a rate is kept which held nobody up says nothing.
  if (!meter.held) return meter;
  const { perCall, perSecond } = growthAt(found.perMinute / (found.ceilingPerMinute ?? Number.POSITIVE_INFINITY));
  const callS = (60 * by.units) / found.perMinute;
  const perMinute = Math.min(highest, found.perMinute * (1 + Math.min(perCall, perSecond * callS)));
  if (perMinute < ANOTHER_RATE * found.sincePerMinute) return { ...meter, found: { ...found, perMinute } };
  return { ...meter, found: { ...found, perMinute, sincePerMinute: perMinute }, window: { sinceMs: by.nowMs, accepted: 0 } };
}

function growthAt(share: number): Growth {
  if (share < NEAR_CEILING) return FAST;
  return share < BEYOND_CEILING ? SLOW : BEYOND;
}
