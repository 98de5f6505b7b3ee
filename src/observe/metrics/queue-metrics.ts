import type { JobState } from '../../domain/job.ts';
import type { MetricSet } from './metric-set.ts';

/** What the store says of the queue at one moment; `null`: not known, or there is none. */
export type QueueNumbers = {
  readonly jobs: { readonly [State in JobState]: number };
  readonly oldestSeconds: { readonly queued: number | null; readonly running: number | null };
  readonly cachedJobs: number;
  readonly lostLeases: number;
  readonly spentUsd: number | null;
  readonly budget: { readonly leftUsd: number; readonly ofUsd: number } | null;
  readonly workersAlive: number;
  readonly desiredWorkers: number;
};

const STATES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const satisfies readonly JobState[];

/** Puts the store's numbers in place of those of before; `null`: it did not answer. */
export function setQueue(metrics: MetricSet, numbers: QueueNumbers | null): void {
  metrics.set('aieval_store_up', numbers === null ? 0 : 1);
  for (const state of STATES) metrics.set('aieval_jobs', numbers?.jobs[state] ?? null, { state });
  for (const state of ['queued', 'running'] as const) metrics.set('aieval_oldest_step_seconds', oldest(numbers, state), { state });
  metrics.set('aieval_cached_jobs', numbers?.cachedJobs ?? null);
  metrics.set('aieval_lost_leases', numbers?.lostLeases ?? null);
  metrics.set('aieval_spent_usd', numbers?.spentUsd ?? null);
  const budget = numbers?.budget ?? null;
  metrics.set('aieval_budget_left_usd', budget?.leftUsd ?? null);
  metrics.set('aieval_budget_left_ratio', budget === null || budget.ofUsd === 0 ? null : budget.leftUsd / budget.ofUsd);
  metrics.set('aieval_workers_alive', numbers?.workersAlive ?? null);
  metrics.set('aieval_desired_workers', numbers?.desiredWorkers ?? null);
}

/** Nothing that waits has waited for no time: an alert on it must be able to end. */
function oldest(numbers: QueueNumbers | null, state: 'queued' | 'running'): number | null {
  return numbers === null ? null : (numbers.oldestSeconds[state] ?? 0);
}
