import { createHash } from 'node:crypto';
import type { Budget } from './budget.ts';
import type { CacheMode, LeaseTimes } from './manifest/resolved.ts';
import type { ModelRate } from './money.ts';
import type { RetryLimits } from './retry.ts';
import type { Selection } from './selection.ts';
import type { TaskTags } from './tags.ts';
import { type Gate, gateVerdict, type ResultCounts, type RunVerdict } from './verdict.ts';

export type RunState = 'planning' | 'open' | 'paused' | 'finished' | 'cancelled';

/** What the latest `run` may change on an unfinished run: none of it changes an answer or a check. */
export type RunSettings = {
  readonly retry: RetryLimits;
  readonly lease: LeaseTimes;
  readonly runConcurrency: number | null;
  readonly cacheMode: CacheMode;
  readonly cacheTtlMs: number | null;
  readonly gate: Gate;
  readonly budget: Budget | null;
  /** Jobs that may fail, counted since the latest `run`, before nothing more is asked; `null`: any number. */
  readonly failFast: { readonly afterFailures: number } | null;
  /** What a call of each model may cost, by the newest manifest's prices; a model that is missing has no known price. */
  readonly rates: { readonly [model: string]: ModelRate };
  /** Tags that a worker must have to ask a task; absent: no task needs any. */
  readonly requires?: TaskTags | undefined;
  /** What of the manifest it is: the options that lead to it again. Absent: all jobs, no profile. */
  readonly selection?: Selection | undefined;
  readonly profile?: string | undefined;
  /** Jobs of the whole manifest, where a selection was made. */
  readonly selectedOf?: number | undefined;
  /** Jobs that wait once all are in: until then they count as if they did. */
  readonly plannedJobs?: number | undefined;
  /** Jobs of the whole plan, with those that cannot be asked. */
  readonly jobsOfPlan?: number | undefined;
};

/** What the results say of a run in this state: one that was cancelled, or is not planned yet, is never a pass. */
export function runVerdict(state: RunState, counts: ResultCounts, gate: Gate): RunVerdict {
  return state === 'cancelled' || state === 'planning' ? 'incomplete' : gateVerdict(counts, gate);
}

const IDENTITY_VERSION = 1;

export type IdentityJob = {
  readonly jobId: string;
  /** The keys known at plan. */
  readonly keys: readonly string[];
  /** Why the job cannot be asked: its document's error, or that it does not fit the model. */
  readonly error: string | null;
  /** Hash of what judges its answers: the task's resolved checks and aggregate. */
  readonly judgedBy: string;
};

/** Two `run` of the same identity are one run. Its jobs are added in plan order. */
export class RunIdentity {
  readonly #hash = createHash('sha256').update(`identity:${IDENTITY_VERSION}\n`);

  add({ jobId, keys, error, judgedBy }: IdentityJob): void {
    // As canonical JSON has it, by this order of the names: a plan has a million of them.
    this.#hash.update(`${JSON.stringify({ error, jobId, judgedBy, keys })}\n`);
  }

  /** Once all are in. */
  digest(): string {
    return this.#hash.digest('hex');
  }
}
