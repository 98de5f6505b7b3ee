import type { Admission } from '../domain/admit.ts';
import type { WorstCase } from '../domain/budget.ts';
import type { LaneState } from '../domain/lane/lane.ts';

/** The most that a call may cost and use, and what it takes of its lane's tokens. */
export type Reservation = { readonly worst: WorstCase; readonly grantedTokens: number };

/** A lane, its first step that could start, and whether that may. A lane that may send nothing is not looked into. */
export type Look<Step> = {
  readonly lane: LaneState;
  readonly step: Step | null;
  /** What the step's call would take; `null` without one. */
  readonly takes: Reservation | null;
  readonly admission: Admission;
  /** Steps of the lane may wait for a first token. */
  readonly warming: boolean;
};

/** A step that may start now, and what its call takes of its lane. */
export type Grant<Step> = { readonly lane: LaneState; readonly step: Step; readonly takes: Reservation };

/** Whether nothing but money keeps the step back: one that costs nothing may start. */
export function isOutOfMoney(admission: Admission): boolean {
  return admission.kind === 'blocked' && (admission.blockedBy === 'budget_usd' || admission.blockedBy === 'budget_group');
}

type Placed = { readonly orderMs: number; readonly seq: number; readonly stepId: number };

/**
 * What a worker starts next: of the lanes that may send their first step that of which it runs the fewest, so that a server that never
 * answers does not fill the worker while another has work; of several such the one whose step is the oldest. `own`: what it runs, by lane.
 */
export function leastLoaded<Step extends Placed>(grants: readonly Grant<Step>[], own: ReadonlyMap<string, number>): Grant<Step> | null {
  const more = (a: Grant<Step>, b: Grant<Step>) => (own.get(a.lane.id) ?? 0) - (own.get(b.lane.id) ?? 0) || byAge(a.step, b.step);
  const [first, ...others] = grants;
  return first === undefined ? null : others.reduce((best, grant) => (more(grant, best) < 0 ? grant : best), first);
}

/** The order of the queue. */
export function byAge(a: Placed, b: Placed): number {
  return a.orderMs - b.orderMs || a.seq - b.seq || a.stepId - b.stepId;
}
