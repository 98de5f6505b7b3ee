import { type BudgetBlock, type BudgetUse, budgetBlock, type WorstCase } from './budget.ts';
import type { LaneState } from './lane/lane.ts';
import { type LaneBlock, laneBlock, type Slots, tokensBlock } from './lane/pace.ts';

/** What holds over lanes. */
export type Totals = {
  readonly runRunning: number;
  readonly runConcurrency: number | null;
  readonly storeRunning: number;
  readonly storeMaximum: number | null;
  /** As many jobs failed as the run's `failFast` allows. */
  readonly failedEnough: boolean;
  /** `null` for a run without a budget. */
  readonly budget: BudgetUse | null;
};

/** The step that would be next on its lane. */
export type Candidate = {
  /** What it takes of the lane's tokens. */
  readonly tokens: number;
  readonly worst: WorstCase;
};

export type BlockedBy = LaneBlock['blockedBy'] | BudgetBlock | 'run_concurrency' | 'store_maximum' | 'fail_fast';

export type Blocked = {
  readonly kind: 'blocked';
  readonly blockedBy: BlockedBy;
  readonly untilMs: number | null;
  /** Of what bounds how many run at once. */
  readonly slots?: Slots;
};
export type Admission = { readonly kind: 'grant' } | Blocked;

/** What is in flight may be settled by another process. */
const LOOK_AGAIN_MS = 1000;

const GRANT: Admission = { kind: 'grant' };

/**
 * Whether a step may take all that its call needs, now. The one rule for every store. `untilMs` says when to look again; `null` when
 * only another step's end or a person can change the answer.
 */
export function admit(nowMs: number, candidate: Candidate, lane: LaneState, totals: Totals): Admission {
  const any = admitAny(nowMs, lane, totals);
  if (any.kind === 'blocked') return any;
  const tokens = tokensBlock(nowMs, lane, candidate.tokens);
  if (tokens !== null) return { kind: 'blocked', ...tokens };
  const budget = totals.budget === null ? null : budgetBlock(totals.budget, candidate.worst);
  if (budget === null) return GRANT;
  const mayFall = totals.budget?.inFlight === true && budget !== 'budget_minutes';
  return { kind: 'blocked', blockedBy: budget, untilMs: mayFall ? nowMs + LOOK_AGAIN_MS : null };
}

/** Whether the lane may send anything at all: where it may not, nobody need look for what would be next. */
export function admitAny(nowMs: number, lane: LaneState, totals: Totals): Admission {
  if (totals.failedEnough) return blocked('fail_fast');
  const block = laneBlock(nowMs, lane);
  if (block !== null) return { kind: 'blocked', ...block };
  const { runRunning, runConcurrency, storeRunning, storeMaximum } = totals;
  if (runConcurrency !== null && runRunning >= runConcurrency) return full('run_concurrency', runRunning, runConcurrency);
  if (storeMaximum !== null && storeRunning >= storeMaximum) return full('store_maximum', storeRunning, storeMaximum);
  return GRANT;
}

function blocked(blockedBy: BlockedBy): Blocked {
  return { kind: 'blocked', blockedBy, untilMs: null };
}

function full(blockedBy: BlockedBy, taken: number, of: number): Blocked {
  return { ...blocked(blockedBy), slots: { taken, of, atMost: of } };
}
