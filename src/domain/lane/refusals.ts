/** What a lane's refusals (429) ask for. */
export type RefusalState = {
  /** Episodes in a row without an answer between. */
  readonly count: number;
  /** When the last episode began, and when its last refusal came. */
  readonly episodeAtMs: number;
  readonly lastAtMs: number;
  /** Nothing is sent before. */
  readonly restUntilMs: number;
};

/** Of a lane that was never refused. */
export const NO_REFUSALS: RefusalState = { count: 0, episodeAtMs: 0, lastAtMs: 0, restUntilMs: 0 };

const BASE_MS = 1000;
const LONGEST_REST_MS = 60_000;
/** On top of a time that the server names, by chance. */
const JITTER = 0.1;

export type Refusal = {
  readonly grantedAtMs: number;
  readonly nowMs: number;
  /** `null`: the server names no time. */
  readonly retryAfterMs: number | null;
  /** In [0, 1). */
  readonly random: number;
};

/** Calls in flight together are refused together: what was granted before the last refusal of an episode is part of it. */
export function beginsEpisode(state: RefusalState, { grantedAtMs, nowMs }: Pick<Refusal, 'grantedAtMs' | 'nowMs'>): boolean {
  // A refusal in the future was stored before the clock was set back.
  return state.count === 0 || state.lastAtMs > nowMs || grantedAtMs > state.lastAtMs;
}

/**
 * A lane after one more refusal. It rests for as long as the server says and up to a tenth more. When the server says nothing, or has
 * refused again, it rests for min(60 s, 1 s × 2^count), the second half by chance: 1 to 2 s, 2 to 4 s, … 30 to 60 s.
 */
export function afterRefusal(state: RefusalState, refusal: Refusal): RefusalState {
  const { grantedAtMs, nowMs } = refusal;
  const isNew = beginsEpisode(state, refusal);
  const count = isNew ? state.count + 1 : state.count;
  // Only calls that were under way when the episode began prolong it, or it would never end.
  const belongs = isNew || grantedAtMs <= state.episodeAtMs;
  return {
    count,
    episodeAtMs: isNew ? nowMs : state.episodeAtMs,
    lastAtMs: belongs ? nowMs : state.lastAtMs,
    // The rest of an episode is drawn once; another of its refusals may only name a later time.
    restUntilMs: isNew ? nowMs + restMs(count, refusal) : Math.max(state.restUntilMs, nowMs + namedMs(refusal)),
  };
}

function restMs(count: number, refusal: Refusal): number {
  const named = namedMs(refusal);
  if (refusal.retryAfterMs !== null && count <= 1) return named;
  const longest = Math.min(LONGEST_REST_MS, BASE_MS * 2 ** count);
  return Math.ceil(Math.max(named, (longest / 2) * (1 + refusal.random)));
}

function namedMs({ retryAfterMs, random }: Refusal): number {
  return Math.ceil((retryAfterMs ?? 0) * (1 + JITTER * random));
}

/** A lane after an answer to a call that was granted then. */
export function afterAnswered(state: RefusalState, grantedAtMs: number): RefusalState {
  return grantedAtMs > state.lastAtMs ? { ...state, count: 0 } : state;
}

/** Headers say that nothing may be sent before a time. */
export function restedUntil(state: RefusalState, untilMs: number | null): RefusalState {
  return untilMs !== null && untilMs > state.restUntilMs ? { ...state, restUntilMs: untilMs } : state;
}
