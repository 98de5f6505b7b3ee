import type { RunRow, RunTotals } from '../../store/rows.ts';
import { counted } from '../terminal/format.ts';

/** How far a run's plan is in the store. */
export type PlanProgress = {
  readonly enqueued: number;
  /** `null`: not known. */
  readonly of: number | null;
};

/** `null`: the whole plan is in, or no more of it is wanted. */
export function planProgress(
  { state, plannedAtMs, settings }: Pick<RunRow, 'state' | 'plannedAtMs' | 'settings'>,
  { jobs }: Pick<RunTotals, 'jobs'>,
): PlanProgress | null {
  if (plannedAtMs !== null || (state !== 'planning' && state !== 'paused')) return null;
  return { enqueued: jobs.total, of: settings.jobsOfPlan ?? null };
}

/** `625 of 2000 jobs`. */
export function enqueuedText({ enqueued, of }: PlanProgress): string {
  return of === null ? counted(enqueued, 'job') : `${enqueued} of ${counted(of, 'job')}`;
}
