import {
  counted,
  type Finished,
  isBusy,
  isComparable,
  isFull,
  isMeasured,
  isOfRound,
  isUnhindered,
  isWorth,
  NEW_ROUND,
  nextRound,
  type Round,
  type Speed,
  speedOf,
  wasBusy,
  wasTroubled,
} from './round.ts';

/** How many calls at once a server is asked for; grows while that is of use. */
export type ConcurrencyState = {
  readonly limit: number;
  /** No trouble came yet: a clean round doubles the limit. */
  readonly starting: boolean;
  /** The server refuses what is too much: its speed need not tell. */
  readonly refused: boolean;
  /** It is the number of calls that the server cannot take more of. */
  readonly crowded: boolean;
  /** Of a clean round. */
  readonly proven: number;
  /** `null`: the server never said that it counts calls at once. */
  readonly ceiling: Ceiling | null;
  /** No growth before. */
  readonly growAtMs: number;
  /** How long growth last stopped for the sake of speed. */
  readonly stoppedMs: number;
  readonly round: Round;
  /** Where more calls at once last gave more tokens in a second; `null` until that is measured, anew after each stop. */
  readonly best: Speed | null;
  /** More calls that seemed to bring nothing: `best` is measured again, for it may be the questions that changed. */
  readonly doubted: Speed | null;
};

/** So many calls at once were too many. They are not tried again before a time, twice as long after each try. */
type Ceiling = { readonly limit: number; readonly untilMs: number; readonly waitMs: number };

const START = 4;
const CUT = 0.7;
const GROWTH = 1.05;
const STEP_BACK = 0.75;
/** After server errors or timeouts, and before what was too much is tried for the first time. */
const PAUSE_MS = 10_000;
/** After the first step back for the sake of speed; then twice as long, … */
const STOP_MS = 60_000;
/** … up to this. */
const LONGEST_PAUSE_MS = 10 * 60_000;

/** Of a lane that nothing is known of, or that has been idle. */
export const CAREFUL: ConcurrencyState = {
  limit: START,
  starting: true,
  refused: false,
  crowded: false,
  proven: 0,
  ceiling: null,
  growAtMs: 0,
  stoppedMs: 0,
  round: NEW_ROUND,
  best: null,
  doubted: null,
};

/** Calls that may run at once under a stated limit. */
export function mayRun(state: ConcurrencyState, stated: number): number {
  return Math.max(1, Math.min(stated, Math.floor(state.limit)));
}

/** Where a rate is known, that keeps the server from being flooded: so many seconds' worth of calls may always be in flight. */
const PACED_S = 2;

/** A lane whose limits allow so many calls in a second. */
export function paced(state: ConcurrencyState, callsPerSecond: number, stated: number): ConcurrencyState {
  if (state.crowded || state.doubted !== null) return state;
  const limit = Math.min(stated, Math.ceil(callsPerSecond * PACED_S));
  return limit <= state.limit ? state : { ...state, limit };
}

/** A lane after an answer. */
export function afterAnswer(state: ConcurrencyState, call: Finished): ConcurrencyState {
  if (!isOfRound(state.round, call)) return state;
  const { nowMs, stated } = call;
  const limit = mayRun(state, stated);
  const round = counted(state.round, limit, call);
  if (!isFull(round, limit)) return { ...state, round };
  if (wasTroubled(round)) return troubled(state, nowMs);
  // Held below what was learnt by a manifest, it can learn nothing.
  const isHeld = stated < Math.floor(state.limit);
  if (isHeld || !wasBusy(round) || isAhead(state.growAtMs, nowMs)) return { ...state, round: nextRound(nowMs, true) };
  const next = { ...state, limit, round };
  return state.refused || round.latencyMs === 0 ? grown(next, call) : measured(next, call);
}

function troubled(state: ConcurrencyState, nowMs: number): ConcurrencyState {
  const pausedMs = isAhead(state.growAtMs, nowMs) ? state.growAtMs : 0;
  return { ...state, starting: false, growAtMs: Math.max(pausedMs, nowMs + PAUSE_MS), round: nextRound(nowMs, true) };
}

/** Further ahead it was stored before the clock was set back. */
function isAhead(timeMs: number, nowMs: number): boolean {
  return timeMs > nowMs && timeMs <= nowMs + LONGEST_PAUSE_MS;
}

/** Grows when the last step brought speed, doubts it when it did not, and looks again when it cannot tell. */
function measured(state: ConcurrencyState, call: Finished): ConcurrencyState {
  const { best, doubted, round, limit } = state;
  const speed = speedOf(round, limit);
  const isSure = isMeasured(round, limit);
  if (doubted !== null) return isSure ? resolved(state, doubted, call) : state;
  if (best === null) return state.stoppedMs === 0 || isSure ? grown({ ...state, best: speed }, call) : state;
  if (!isComparable(speed, best)) return grown(state, call);
  if (isUnhindered(speed, best)) return grown({ ...state, best: speed }, call);
  if (!round.settled) return { ...state, round: nextRound(call.nowMs, true) };
  if (!isSure) return state;
  if (isWorth(speed, best)) return grown({ ...state, best: speed, crowded: false }, call);
  return { ...state, limit: best.limit, doubted: speed, crowded: false, round: nextRound(call.nowMs, false) };
}

/** Fewer calls at once were measured: they are as fast together as more were, or more are of use after all. */
function resolved(state: ConcurrencyState, doubted: Speed, call: Finished): ConcurrencyState {
  const { limit, round, crowded } = state;
  const speed = speedOf(round, limit);
  if (!isWorth(doubted, speed)) return limit <= START ? stopped(state, call) : lowered(state, speed, call);
  const back = { ...state, limit: doubted.limit, doubted: null };
  // It was the questions that made the difference, unless still fewer have been tried.
  return crowded ? stopped(back, call) : grown({ ...back, best: doubted }, call);
}

/** Whether still fewer are as fast together. */
function lowered(state: ConcurrencyState, doubted: Speed, { nowMs }: Finished): ConcurrencyState {
  const limit = Math.max(START, Math.floor(state.limit * STEP_BACK));
  return { ...state, limit, doubted, crowded: true, starting: false, round: nextRound(nowMs, false) };
}

function stopped(state: ConcurrencyState, { nowMs }: Finished): ConcurrencyState {
  const stoppedMs = Math.min(LONGEST_PAUSE_MS, Math.max(STOP_MS, 2 * state.stoppedMs));
  const growAtMs = nowMs + stoppedMs;
  return { ...state, starting: false, crowded: true, best: null, doubted: null, stoppedMs, growAtMs, round: nextRound(nowMs, true) };
}

function grown(state: ConcurrencyState, { nowMs, stated }: Finished): ConcurrencyState {
  const { limit, starting } = state;
  const more = Math.min(stated, starting ? 2 * limit : Math.max(limit + 1, limit * GROWTH));
  const ceiling = state.ceiling === null || limit >= state.ceiling.limit ? null : state.ceiling;
  const next = ceiling !== null && isAhead(ceiling.untilMs, nowMs) ? Math.min(more, ceiling.limit - 1) : more;
  return { ...state, limit: Math.max(limit, next), proven: limit, ceiling, round: nextRound(nowMs, limit >= stated) };
}

/** A lane after a refusal that began an episode; `named`: the server says that it counts calls at once. */
export function afterRefused(state: ConcurrencyState, call: Finished, named: boolean): ConcurrencyState {
  const limit = mayRun(state, call.stated);
  const round = nextRound(call.nowMs, false);
  const next = { ...state, starting: false, refused: true, crowded: state.crowded || named, doubted: null, round };
  if (!isBusy(limit, call)) return next;
  const cut = Math.max(1, Math.floor(limit * CUT));
  if (!named) return { ...next, limit: cut };
  // What was clean before the last step up still is.
  const back = state.proven < limit ? Math.max(cut, state.proven) : cut;
  return { ...next, limit: back, proven: back, ceiling: ceilingAt(limit, state.ceiling, call.nowMs) };
}

function ceilingAt(limit: number, before: Ceiling | null, nowMs: number): Ceiling {
  const isAgain = before !== null && limit >= before.limit;
  const waitMs = isAgain ? Math.min(LONGEST_PAUSE_MS, 2 * before.waitMs) : PAUSE_MS;
  return { limit, waitMs, untilMs: nowMs + waitMs };
}

/** A lane after a server error or a timeout. */
export function afterTrouble(state: ConcurrencyState, call: Finished): ConcurrencyState {
  return isOfRound(state.round, call) ? { ...state, round: { ...state.round, failed: state.round.failed + 1 } } : state;
}
