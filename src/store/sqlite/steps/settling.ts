import type { Claim, Settled } from '../../work.ts';
import type { RunFacts } from '../runs/run-facts.ts';
import type { Tx } from '../transactor.ts';
import type { Step } from './step-row.ts';

/** A step whose lease was just found to hold, about to be settled. */
export type Settling = { readonly tx: Tx; readonly run: RunFacts; readonly step: Step; readonly token: string };

/** The lease was lost. */
export const NOT_APPLIED: Settled = { applied: false };

/** How a job ended. */
export type JobEnd = NonNullable<Extract<Settled, { applied: true }>['ended']>;

/** An applied settle; what is not named did not happen. */
export function settled(facts: {
  readonly finish?: Claim | null;
  readonly retryAtMs?: number | null;
  readonly ended?: JobEnd | null;
}): Settled {
  return { applied: true, finish: facts.finish ?? null, retryAtMs: facts.retryAtMs ?? null, ended: facts.ended ?? null };
}
