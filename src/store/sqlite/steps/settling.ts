import type { Claim, Paused, Settled } from '../../work.ts';
import type { RunFacts } from '../runs/run-facts.ts';
import type { Tx } from '../transactor.ts';
import type { Step } from './step-row.ts';

/** A step whose lease was just found to hold, about to be settled. */
export type Settling = { readonly tx: Tx; readonly run: RunFacts; readonly step: Step; readonly token: string };

/** The lease was lost. */
export const NOT_APPLIED: Settled = { applied: false };

/** The lease held. */
export type Applied = Extract<Settled, { applied: true }>;

/** How a job ended. */
export type JobEnd = NonNullable<Applied['ended']>;

/** An applied settle; what is not named did not happen. */
export function settled(facts: {
  readonly finish?: Claim | null;
  readonly retryAtMs?: number | null;
  readonly ended?: JobEnd | null;
  readonly paused?: Paused | null;
}): Applied {
  const { finish = null, retryAtMs = null, ended = null, paused = null } = facts;
  return { applied: true, finish, retryAtMs, ended, paused };
}
