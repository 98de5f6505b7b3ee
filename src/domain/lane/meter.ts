import { LONGEST_WAIT_MS } from '../retry.ts';

/**
 * A token bucket for one unit, and what is known of its rate. `level` may be negative: one request larger than the bucket is paid off
 * before the next one goes.
 */
export type Meter = {
  readonly level: number;
  readonly atMs: number;
  /** The last grant came as soon as the level let it: it was this meter that held the lane. */
  readonly held: boolean;
  readonly told: ToldLimit;
  /** Found out by being refused; `null` while nothing was. */
  readonly found: FoundRate | null;
  /** What left since the window began and was not refused: between two refusals that is the server's rate. */
  readonly window: { readonly sinceMs: number; readonly accepted: number };
};

/** What headers tell of a limit; `null` until then. */
export type ToldLimit = {
  readonly perMinute: number | null;
  readonly capacity: number | null;
  /** Answers since then, in a row, whose headers said nothing. */
  readonly silent: number;
};

export type FoundRate = {
  readonly perMinute: number;
  /** Where the last refusal came; `null` while that is not known. */
  readonly ceilingPerMinute: number | null;
  /** What it was when the window began. */
  readonly sincePerMinute: number;
};

/** How a meter fills. */
export type Flow = {
  readonly perMs: number;
  /** Goes at once after a rest. */
  readonly burst: number;
  /** `burst`, and what comes in while somebody wakes up late. */
  readonly capacity: number;
  /** What the strictest server's own bucket holds. */
  readonly serverHolds: number;
};

/** Of a unit that no headers told of. */
export const NOTHING_TOLD: ToldLimit = { perMinute: null, capacity: null, silent: 0 };

/** Of a unit that nothing is known of. */
export const NEW_METER: Meter = {
  level: 0,
  atMs: 0,
  held: false,
  told: NOTHING_TOLD,
  found: null,
  window: { sinceMs: 0, accepted: 0 },
};

const MINUTE_MS = 60_000;

/** Paced below a limit: the way to the server is not always equally long. */
const PACED_SHARE = 0.99;

const BURST_S = 0.5;
/** Between the time to look again and the request's leaving. */
const LATENESS_S = 0.06;
/** Of a strict server's bucket of one second, the most that is used. */
const SERVER_SHARE = 0.95;

/** Below this two sums of floating point differ by chance. */
const EPSILON_MS = 1e-6;

/** Clocks of one machine's processes differ less; a stored time further ahead was written before the clock was set back. */
const CLOCK_TOLERANCE_MS = 1000;

/** A bucket that was full for so long was not what held the lane. */
const IDLE_MS = 2000;

/** The lowest limit known of a unit, in a minute; `null`: none is. `stated` is the manifest's. */
export function limitOf(meter: Meter, stated: number | null): number | null {
  const known = [stated, meter.told.perMinute].filter((limit) => limit !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** How a meter fills; `null` while no limit is known. */
export function flowOf(meter: Meter, stated: number | null): Flow | null {
  const limit = limitOf(meter, stated);
  const found = meter.found?.perMinute ?? Number.POSITIVE_INFINITY;
  if (limit === null && meter.found === null) return null;
  const perMinute = Math.min(limit ?? Number.POSITIVE_INFINITY, found);
  const second = perMinute / 60;
  const burst = Math.max(1, second * BURST_S);
  const late = Math.max(burst, Math.min(burst + second * LATENESS_S, second * SERVER_SHARE));
  // A window seen in headers belongs to the limit told there: it is none of a lower one.
  const capacity = perMinute === meter.told.perMinute ? Math.max(late, meter.told.capacity ?? 0) : late;
  return {
    perMs: (perMinute === found ? found : perMinute * PACED_SHARE) / MINUTE_MS,
    burst,
    capacity,
    serverHolds: Math.max(second, capacity),
  };
}

/** The level at a time, filled up since it was stored. No debt, however absurd, blocks a lane for longer than anybody waits. */
export function levelAt(nowMs: number, meter: Meter, flow: Flow): number {
  const elapsedMs = nowMs - meter.atMs;
  if (elapsedMs < -CLOCK_TOLERANCE_MS) return flow.capacity;
  const deepest = flow.capacity - flow.perMs * LONGEST_WAIT_MS;
  return Math.min(flow.capacity, Math.max(deepest, meter.level) + Math.max(0, elapsedMs) * flow.perMs);
}

/**
 * When `need` units may go: `null` at once, else the first whole millisecond. A need beyond what the bucket holds goes when it is full
 * and leaves a debt.
 */
export function readyAtMs(nowMs: number, meter: Meter, flow: Flow, need: number): number | null {
  const waitMs = (wantedLevel(flow, need) - levelAt(nowMs, meter, flow)) / flow.perMs;
  if (waitMs <= EPSILON_MS) return null;
  const fromMs = meter.atMs - nowMs > CLOCK_TOLERANCE_MS ? nowMs : Math.max(nowMs, meter.atMs);
  return Math.min(Math.ceil(fromMs) + Math.ceil(waitMs - EPSILON_MS), nowMs + LONGEST_WAIT_MS);
}

/** The server's bucket is fuller than ours by `serverHolds − capacity` at least. What is beyond the burst draws on half of that. */
function wantedLevel({ burst, capacity, serverHolds }: Flow, need: number): number {
  return Math.min(capacity, Math.max(Math.min(need, burst), need - (serverHolds - capacity) / 2));
}

/** A meter after `need` units were granted. */
export function taken(nowMs: number, meter: Meter, flow: Flow | null, need: number): Meter {
  const window = wasIdle(nowMs, meter, flow) ? { sinceMs: nowMs, accepted: 0 } : meter.window;
  if (flow === null) return { ...meter, level: 0, atMs: nowMs, held: false, window };
  const unbounded = meter.level + (nowMs - meter.atMs) * flow.perMs;
  const held = unbounded <= wantedLevel(flow, need) + LATENESS_S * 1000 * flow.perMs;
  return { ...meter, level: levelAt(nowMs, meter, flow) - need, atMs: nowMs, held, window };
}

/** After a pause the server's bucket is full, so what it then accepts is no measure together with what came before. */
function wasIdle(nowMs: number, meter: Meter, flow: Flow | null): boolean {
  if (meter.window.sinceMs > nowMs) return true;
  const fillMs = flow === null ? 0 : Math.max(0, flow.capacity - meter.level) / flow.perMs;
  return nowMs - (meter.atMs + fillMs) > IDLE_MS;
}

/** A meter that was refused: the server's bucket is empty. For `idleMs` nothing comes in, or it would all leave at once after a rest. */
export function emptied(nowMs: number, meter: Meter, flow: Flow | null, idleMs: number): Meter {
  if (flow === null) return meter;
  return { ...meter, level: Math.min(0, levelAt(nowMs, meter, flow)) - Math.min(idleMs, LONGEST_WAIT_MS) * flow.perMs, atMs: nowMs };
}

/** A meter whose last grants turned out to need `units` less (negative: more). */
export function givenBack(nowMs: number, meter: Meter, flow: Flow | null, units: number): Meter {
  if (flow === null || units === 0) return meter;
  return { ...meter, level: Math.min(flow.capacity, levelAt(nowMs, meter, flow) + units), atMs: nowMs };
}

/**
 * A meter when `units` leave. The server takes them from here on, however long ago they were granted: what filled up meanwhile must
 * not let the next one come too early. That one will be under way for `leastLagMs` at least.
 */
export function sent(nowMs: number, meter: Meter, flow: Flow | null, by: { readonly units: number; readonly leastLagMs: number }): Meter {
  const { units, leastLagMs } = by;
  const counted = { ...meter, window: { ...meter.window, accepted: meter.window.accepted + units } };
  if (flow === null) return counted;
  const level = Math.min(levelAt(nowMs, meter, flow), flow.capacity - units + leastLagMs * flow.perMs);
  return { ...counted, level, atMs: nowMs };
}
