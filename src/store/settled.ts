import type { Claim, Paused, Settled } from './work.ts';

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
