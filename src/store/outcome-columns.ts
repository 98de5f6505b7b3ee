import type { CallTiming } from '../domain/lane/lane.ts';
import { boundedUsage, cappedNanoUsd, type Usage } from '../domain/money.ts';
import type { CallOutcome } from './work.ts';

type Told = Pick<CallOutcome, 'costNanoUsd' | 'usage' | 'timing'>;

/** An outcome within what can be: servers say anything, and no row and no lane may stumble over it. */
export function withinReason<Outcome extends Told>(outcome: Outcome): Outcome {
  const { costNanoUsd, usage, timing } = outcome;
  const cost = costNanoUsd === null || Number.isNaN(costNanoUsd) ? null : Math.ceil(cappedNanoUsd(costNanoUsd));
  return { ...outcome, costNanoUsd: cost, usage: boundedUsage(usage), timing: isPossible(timing) ? timing : undefined };
}

/** No answer takes ten years. */
const LONGEST_MS = 10 * 365 * 86_400_000;

function isPossible(timing: CallTiming | undefined): boolean {
  return timing !== undefined && [timing.latencyMs, timing.firstTokenMs ?? 0].every((ms) => ms >= 0 && ms < LONGEST_MS);
}

/** The columns of an outcome that is within reason. Times are in whole milliseconds, so that sums of them are exact. */
export function outcomeColumns({ costNanoUsd, usage, timing }: Told): { readonly [name: string]: number | null } {
  return {
    costNanoUsd,
    latencyMs: timing === undefined ? null : Math.round(timing.latencyMs),
    firstTokenMs: timing === undefined || timing.firstTokenMs === null ? null : Math.round(timing.firstTokenMs),
    ...usageColumns(usage),
  };
}

function usageColumns(usage: Usage | null): { readonly [name: string]: number | null } {
  return {
    uncachedInput: usage?.uncachedInput ?? null,
    cacheRead: usage?.cacheRead ?? null,
    cacheWrite: usage?.cacheWrite ?? null,
    output: usage?.output ?? null,
    reasoning: usage?.reasoning ?? null,
  };
}
