import type { FailureClass } from '../reason.ts';
import { LONGEST_WAIT_MS } from '../retry.ts';

/** Failures in a row across questions, and since when nothing is sent but a probe. */
export type BreakerState = {
  /** Transient failures without an answer between. */
  readonly failures: number;
  /** Questions that failed so, as many as matter. */
  readonly failedKeys: readonly string[];
  /** Times in a row that it opened. */
  readonly openings: number;
  /** One probe may go then; `null`: closed. */
  readonly probeAtMs: number | null;
  /** When the probe under way was granted. */
  readonly probedAtMs: number | null;
};

/** Of a lane that works. */
export const CLOSED: BreakerState = { failures: 0, failedKeys: [], openings: 0, probeAtMs: null, probedAtMs: null };

const FAILURES = 5;
/** One question that always fails is no outage. */
const QUESTIONS = 2;
const BASE_MS = 1000;
const LONGEST_MS = 60_000;

export type BreakerBlock = { readonly untilMs: number | null };

/** Why nothing may be sent now: the probe's time has not come, or it is under way (`untilMs` is `null`). */
export function breakerBlock(nowMs: number, state: BreakerState, running: number): BreakerBlock | null {
  const { probeAtMs, probedAtMs } = state;
  if (probeAtMs === null) return null;
  // A probe that nobody runs any more died with its worker.
  if (probedAtMs !== null && running > 0) return { untilMs: null };
  return probeAtMs > nowMs && probeAtMs <= nowMs + LONGEST_WAIT_MS ? { untilMs: probeAtMs } : null;
}

/**
 * Time before which a step that failed now stays parked, so that another question is the next probe; `null` while the breaker is
 * closed.
 */
export function parkedUntilMs(state: BreakerState): number | null {
  return state.probeAtMs === null ? null : state.probeAtMs + 1;
}

/** A call was granted: on an open breaker it is the probe. */
export function probing(nowMs: number, state: BreakerState): BreakerState {
  return state.probeAtMs === null ? state : { ...state, probedAtMs: nowMs };
}

/** A call told nothing of the endpoint's health: if it was the probe, another one may go. */
export function unprobed(state: BreakerState, grantedAtMs: number): BreakerState {
  return isProbe(state, { grantedAtMs }) ? { ...state, probedAtMs: null } : state;
}

export type Ended = {
  readonly nowMs: number;
  readonly grantedAtMs: number;
  readonly key: string;
  /** `null`: an answer came. */
  readonly failed: FailureClass | null;
};

/** A breaker after a call. An endpoint that answers is up, even if it says no to this question. */
export function afterEnd(state: BreakerState, call: Ended): BreakerState {
  if (call.failed === 'transient') return afterTransient(state, call);
  // What was stopped, paused or refused tells nothing of the endpoint's health.
  if (call.failed === 'rate' || call.failed === 'fatal') return unprobed(state, call.grantedAtMs);
  return CLOSED;
}

function afterTransient(state: BreakerState, call: Ended): BreakerState {
  const failedKeys = state.failedKeys.includes(call.key) ? state.failedKeys : [...state.failedKeys, call.key].slice(0, QUESTIONS);
  const counted = { ...state, failures: state.failures + 1, failedKeys };
  const opens = state.probeAtMs === null ? counted.failures >= FAILURES && failedKeys.length >= QUESTIONS : isProbe(state, call);
  if (!opens) return counted;
  const waitMs = Math.min(LONGEST_MS, BASE_MS * 2 ** state.openings);
  return { ...counted, openings: state.openings + 1, probeAtMs: call.nowMs + waitMs, probedAtMs: null };
}

function isProbe({ probedAtMs }: BreakerState, { grantedAtMs }: Pick<Ended, 'grantedAtMs'>): boolean {
  return probedAtMs !== null && grantedAtMs >= probedAtMs;
}
