/** Calls that were granted since a limit was set, and have ended. */
export type Round = {
  readonly sinceMs: number;
  /** With an answer. */
  readonly done: number;
  /** With a server error or a timeout. */
  readonly failed: number;
  /** Answered while nearly all of the limit was in flight. */
  readonly busy: number;
  readonly outputTokens: number;
  readonly latencyMs: number;
  /** The calls before it were granted under another limit, and it has only just filled up. */
  readonly settled: boolean;
};

/** A call that ended, as the concurrency sees it. */
export type Finished = {
  readonly nowMs: number;
  readonly grantedAtMs: number;
  /** Stated by the manifests. */
  readonly stated: number;
  /** With this one. */
  readonly running: number;
  readonly outputTokens: number | null;
  readonly latencyMs: number | null;
};

/** How fast so many calls at once are. */
export type Speed = {
  readonly limit: number;
  /** Output tokens per millisecond of one call: waiting in the server's queue makes it less. */
  readonly perCall: number;
};

/** Of a round, unless the limit is lower; else half the limit. */
const LEAST_ROUND = 8;
/** A few calls say little of a speed. */
const MEASURED_CALLS = 40;
const BUSY_SHARE = 0.8;
/** Of a round. Calls that begin together end together: the first of them only see all the others. */
const BUSY_CALLS = 0.2;
/** Of a round's answers; two by chance say nothing. */
const FAILED_SHARE = 0.1;

/** Speeds are compared over at least so many more calls at once, … */
const COMPARABLE = 1.25;
/** … of which at least this share must become speed: 5 % for 25 %, 20 % for twice as many. */
const WORTH = 0.2;
/** With so many more, each call is as fast as before, or nearly: the server has room. */
const MUCH_MORE = 1.5;
const UNHINDERED = 0.8;

/** Before the first call. */
export const NEW_ROUND: Round = { sinceMs: 0, done: 0, failed: 0, busy: 0, outputTokens: 0, latencyMs: 0, settled: false };

/** The round that begins now. */
export function nextRound(nowMs: number, settled: boolean): Round {
  return { ...NEW_ROUND, sinceMs: nowMs, settled };
}

/** Set back, the clock would keep a round from ever being filled. */
export function isOfRound({ sinceMs }: Round, { grantedAtMs, nowMs }: Pick<Finished, 'grantedAtMs' | 'nowMs'>): boolean {
  return grantedAtMs >= Math.min(sinceMs, nowMs);
}

/** A round with one more answer. */
export function counted(round: Round, limit: number, call: Finished): Round {
  const { outputTokens, latencyMs } = call;
  const isTimed = outputTokens !== null && latencyMs !== null;
  return {
    ...round,
    done: round.done + 1,
    busy: round.busy + (isBusy(limit, call) ? 1 : 0),
    outputTokens: round.outputTokens + (isTimed ? outputTokens : 0),
    latencyMs: round.latencyMs + (isTimed ? latencyMs : 0),
  };
}

/** Nearly all of the limit was in flight. */
export function isBusy(limit: number, { running }: Finished): boolean {
  return running >= BUSY_SHARE * limit;
}

/** Enough calls ended to take the next step. */
export function isFull({ done }: Round, limit: number): boolean {
  return done >= Math.max(Math.min(limit, LEAST_ROUND), limit / 2);
}

/** Enough calls ended to tell a speed. */
export function isMeasured({ done }: Round, limit: number): boolean {
  return done >= Math.max(limit, MEASURED_CALLS);
}

/** The limit was what kept more calls from being in flight. */
export function wasBusy({ busy, done }: Round): boolean {
  return busy >= BUSY_CALLS * done;
}

/** More failed than a healthy server lets fail. */
export function wasTroubled({ failed, done }: Round): boolean {
  return failed > Math.max(2, FAILED_SHARE * done);
}

/** The speed of a round under a limit. */
export function speedOf({ outputTokens, latencyMs }: Round, limit: number): Speed {
  return { limit, perCall: outputTokens / latencyMs };
}

/** Whether two speeds tell what more calls at once bring. */
export function isComparable(more: Speed, less: Speed): boolean {
  return more.limit >= COMPARABLE * less.limit;
}

/** Far more calls at once hardly hinder each other. */
export function isUnhindered(more: Speed, less: Speed): boolean {
  return more.limit >= MUCH_MORE * less.limit && more.perCall >= UNHINDERED * less.perCall;
}

/** More calls at once give more tokens in a second. */
export function isWorth(more: Speed, less: Speed): boolean {
  const times = more.limit / less.limit;
  return times * more.perCall >= less.perCall * (1 + WORTH * (times - 1));
}
