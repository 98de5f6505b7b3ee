import type { JobError } from '../domain/result.ts';
import type { KnownBad } from './known-bad.ts';
import type { NewJob } from './plan-rows.ts';
import type { RunFacts } from './run-facts.ts';

/** How a job begins: what it failed for before it was asked, and what becomes of its steps. */
export type Beginning = {
  readonly state: 'queued' | 'failed' | 'cancelled';
  readonly error: JobError | null;
  readonly steps: readonly ('queued' | 'failed' | 'cancelled')[];
};

/** `bad`: what is known of each step's answer. */
export function beginningOf(run: RunFacts, job: NewJob, bad: readonly (KnownBad | null)[]): Beginning {
  if (job.textSha256 === null && job.steps.length > 0) throw new Error(`Job ${job.jobId} has steps but no text`);
  const error = job.failure ?? bad.find((known) => known !== null) ?? null;
  const state = error !== null ? 'failed' : run.state === 'cancelled' ? 'cancelled' : 'queued';
  return { state, error, steps: bad.map((known) => (state === 'queued' ? 'queued' : known === null ? 'cancelled' : 'failed')) };
}
