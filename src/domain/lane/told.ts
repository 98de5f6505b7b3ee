import type { RateWindow } from './lane.ts';
import { isLongWindow } from './long-window.ts';
import { flowOf, levelAt, type Meter, NOTHING_TOLD } from './meter.ts';

/** A response's headers, as one unit's meter sees them. */
export type Telling = {
  readonly nowMs: number;
  /** When the call was granted: the headers tell of the time just after. */
  readonly grantedAtMs: number;
  /** The manifest's limit, in a minute. */
  readonly stated: number | null;
  /** Taken by calls that may not be counted in what remains. */
  readonly inFlight: number;
};

export type Told = {
  readonly meter: Meter;
  /** Nothing remains until then. */
  readonly restUntilMs: number | null;
};

const MINUTE_MS = 60_000;
/** Of what was seen to remain, others may take some. */
const WINDOW_SHARE = 0.9;
/** With all of it used, a bucket that fills steadily names nearly the whole minute: it need not be full for the next call. */
const STEADY_RESET_MS = 0.9 * MINUTE_MS;

/** A meter after headers told of its unit. */
export function toldMeter(meter: Meter, window: RateWindow, telling: Telling): Told {
  if (isLong(window)) return { meter: withoutLimit(meter, window.limitPerMinute), restUntilMs: spentUntilMs(window, telling) };
  const steady = (window.resetMs ?? 0) >= STEADY_RESET_MS;
  return { meter: levelled(meter, window, telling), restUntilMs: steady ? null : spentUntilMs(window, telling) };
}

/** So many answers in a row without a word of a limit that headers once told: another server answers now, or it was a mistake. */
const SILENT_ANSWERS = 3;

/** A meter after an answer whose headers say nothing of its unit. */
export function untoldMeter(meter: Meter): Meter {
  const { told } = meter;
  if (told.perMinute === null) return meter;
  const silent = told.silent + 1;
  return { ...meter, told: silent < SILENT_ANSWERS ? { ...told, silent } : NOTHING_TOLD };
}

/** Not every limit refills evenly: one that is counted anew within the minute may be of a minute, however little of it is used. */
function isLong(window: RateWindow): boolean {
  return (window.resetMs ?? 0) > MINUTE_MS && isLongWindow(window);
}

/** With little of it used, a day's quota looks like a minute's. */
function withoutLimit(meter: Meter, limit: number | null): Meter {
  return meter.told.perMinute === limit ? { ...meter, told: NOTHING_TOLD } : meter;
}

function spentUntilMs({ remaining, resetMs }: RateWindow, { grantedAtMs, nowMs }: Telling): number | null {
  if (remaining === null || remaining > 0 || resetMs === null) return null;
  const untilMs = Math.ceil(Math.min(grantedAtMs, nowMs) + resetMs);
  return untilMs > nowMs ? untilMs : null;
}

function levelled(meter: Meter, { limitPerMinute, remaining }: RateWindow, telling: Telling): Meter {
  const { nowMs, grantedAtMs, stated, inFlight } = telling;
  const perMinute = limitPerMinute !== null && limitPerMinute > 0 ? limitPerMinute : meter.told.perMinute;
  if (perMinute === null) return meter;
  const shown = WINDOW_SHARE * Math.min(perMinute, Math.max(meter.told.capacity ?? 0, remaining ?? 0));
  const capacity = meter.told.capacity === null || shown > meter.told.capacity ? shown : Math.min(meter.told.capacity, perMinute);
  const next = { ...meter, told: { perMinute, capacity, silent: 0 } };
  const before = flowOf(meter, stated);
  const after = flowOf(next, stated);
  if (after === null) return next;
  const level = before === null ? 0 : levelAt(nowMs, meter, before);
  const grown = Math.max(0, after.capacity - (before?.capacity ?? 0));
  // More is believed only as far as calls under way leave it; our own count is as good once the window's size is known.
  const raised = grown === 0 ? level : Math.max(level, Math.min(level + grown, (remaining ?? 0) - inFlight));
  const most = (remaining ?? Number.POSITIVE_INFINITY) + 1 + Math.max(0, nowMs - grantedAtMs) * after.perMs;
  return { ...next, level: Math.min(raised, most, after.capacity), atMs: nowMs };
}
