import type { Usage } from '../money.ts';
import type { Failure, Reason } from '../reason.ts';
import type { BreakerState } from './breaker.ts';
import type { ConcurrencyState } from './concurrency.ts';
import type { Meter } from './meter.ts';
import type { RefusalState } from './refusals.ts';

/**
 * What a provider counts against the tokens of a minute: what a call asks for (`reserved`: its input and the most it may answer, given
 * back only when it never left), or what it used (`actual`).
 */
export type TokenAccounting = 'reserved' | 'actual';

/** What the manifests in use state of a lane, of several the lowest; `null`: nothing is stated. */
export type LaneLimits = {
  readonly concurrency: number;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly tokenAccounting: TokenAccounting;
  /** A real server is probed with care. Recorded and invented answers come as fast as they are asked for. */
  readonly adaptive: boolean;
};

/** What was observed of a lane: one for all processes, changed only in the transaction that observes. Plain JSON. */
export type LanePace = {
  readonly requests: Meter;
  readonly tokens: Meter;
  readonly concurrency: ConcurrencyState;
  readonly breaker: BreakerState;
  readonly refusals: RefusalState;
  /** Model → tokens that its server counts for one that we estimate, as calls showed. */
  readonly inputFactors: { readonly [model: string]: number };
  /** A call here read from the server's prompt cache, or the vendor is known to keep one. */
  readonly cachesPrompts: boolean;
  /** Least time seen lately between a grant and its call's leaving; `null` before the first. */
  readonly sendLagMs: number | null;
  /** Since when the lane is refused or its breaker open, without an answer between; `null` while all is well. */
  readonly troubleSinceMs: number | null;
};

/** Nothing is sent on a lane until `untilMs`, or, `null`, until a person acts. */
export type LanePause = { readonly reason: Reason; readonly message: string; readonly untilMs: number | null };

/** What a step draws on. All of it is shared by every process on one store. */
export type LaneState = {
  readonly id: string;
  /** Running steps of this lane. */
  readonly running: number;
  readonly limits: LaneLimits;
  readonly pause: LanePause | null;
  readonly pace: LanePace;
};

/** Limits as a response's headers tell them; of both units what is not told is `null`. */
export type RateReport = { readonly requests: RateWindow | null; readonly tokens: RateWindow | null };

export type RateWindow = {
  /** In one minute. */
  readonly limitPerMinute: number | null;
  /** What may still be asked for at this moment. */
  readonly remaining: number | null;
  /** Until all of it, or more, may be asked for again. */
  readonly resetMs: number | null;
};

/** How fast an answer came; `firstTokenMs` is `null` when it did not come in pieces. */
export type CallTiming = { readonly latencyMs: number; readonly firstTokenMs: number | null };

/** What the tokens of a call were taken to be when it was granted. */
export type TokenEstimate = {
  /** As counted with our tokenizer. */
  readonly inputTokens: number;
  /** More than any tokenizer makes of it. */
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
};

/** One call as its lane sees it, once it is over. */
export type CallSeen = {
  /** Claim of the call, on the store's clock. */
  readonly grantedAtMs: number;
  /** Tokens that the grant took. */
  readonly grantedTokens: number;
  readonly estimate: TokenEstimate;
  /** Name in the manifest. */
  readonly model: string;
  /** Tells questions apart: one that always fails is no outage. */
  readonly key: string;
  /** Steps of the lane that were running, this one included. */
  readonly running: number;
  /** `null` when an answer came, good or bad. */
  readonly failure: Failure | null;
  readonly usage: Usage | null;
  readonly timing: CallTiming | null;
  readonly rates: RateReport | null;
};
