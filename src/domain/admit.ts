import { LONGEST_WAIT_MS } from './retry.ts';

/** What a step draws on. All of it is shared by every process on one store. */
export type LaneState = {
  readonly id: string;
  /** Running steps of this lane. */
  readonly running: number;
  /** The lower of the limits that the unfinished runs using this lane state. */
  readonly concurrency: number;
  /** Set while nothing sent here can succeed until a person acts. */
  readonly pausedReason: string | null;
  /** Nothing is sent before this time, unless it lies further ahead than anyone waits: then the clock was set back. */
  readonly cooldownUntilMs: number;
};

export type Totals = {
  readonly runRunning: number;
  readonly runConcurrency: number | null;
  readonly storeRunning: number;
  readonly storeMaximum: number | null;
};

export type BlockedBy = 'lane_paused' | 'lane_cooldown' | 'lane_concurrency' | 'run_concurrency' | 'store_maximum';

export type Admission =
  | { readonly kind: 'grant' }
  | { readonly kind: 'blocked'; readonly blockedBy: BlockedBy; readonly untilMs: number | null };

const GRANT: Admission = { kind: 'grant' };

/**
 * Whether a step may take all that its call needs, now. The one rule for every store. `untilMs` says when to look again;
 * `null` when only another step's end or a person can change the answer.
 */
export function admit(nowMs: number, lane: LaneState, totals: Totals): Admission {
  if (lane.pausedReason !== null) return blocked('lane_paused', null);
  if (lane.cooldownUntilMs > nowMs && lane.cooldownUntilMs <= nowMs + LONGEST_WAIT_MS)
    return blocked('lane_cooldown', lane.cooldownUntilMs);
  if (lane.running >= lane.concurrency) return blocked('lane_concurrency', null);
  if (totals.runConcurrency !== null && totals.runRunning >= totals.runConcurrency) return blocked('run_concurrency', null);
  if (totals.storeMaximum !== null && totals.storeRunning >= totals.storeMaximum) return blocked('store_maximum', null);
  return GRANT;
}

function blocked(blockedBy: BlockedBy, untilMs: number | null): Admission {
  return { kind: 'blocked', blockedBy, untilMs };
}
