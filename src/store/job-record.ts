import type { AttemptRow, CallRow, JobRecord, JobRow, StepRow } from './rows.ts';

/** A row that names its job beside what is kept of it. */
export type OfJob<Row> = Row & { readonly jobId: string };

/** A call as a statement selects it: what it used is unknown, or all of it is known. */
export type CallColumns = Omit<CallRow, 'usage'> & {
  readonly uncachedInput: number | null;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
};

/** Rows of some jobs, each kind in its order. */
export type RowsOfJobs = {
  readonly jobs: readonly JobRow[];
  readonly steps: readonly OfJob<StepRow>[];
  readonly attempts: readonly OfJob<AttemptRow>[];
  readonly calls: readonly OfJob<CallColumns>[];
};

/** Each job with its own rows, in the order of the jobs. */
export function jobRecordsOf(rows: RowsOfJobs): readonly JobRecord[] {
  const [steps, attempts, calls] = [byJob(rows.steps), byJob(rows.attempts), byJob(rows.calls)];
  return rows.jobs.map((job) => ({
    job,
    steps: steps.get(job.jobId) ?? [],
    attempts: attempts.get(job.jobId) ?? [],
    calls: (calls.get(job.jobId) ?? []).map(callRowOf),
  }));
}

/** Without the name of their job. */
function byJob<Row>(rows: readonly OfJob<Row>[]): ReadonlyMap<string, readonly Omit<OfJob<Row>, 'jobId'>[]> {
  const kept = new Map<string, Omit<OfJob<Row>, 'jobId'>[]>();
  for (const { jobId, ...row } of rows) {
    const own = kept.get(jobId);
    if (own === undefined) kept.set(jobId, [row]);
    else own.push(row);
  }
  return kept;
}

function callRowOf({ uncachedInput, cacheRead, cacheWrite, output, reasoning, ...call }: CallColumns): CallRow {
  return { ...call, usage: uncachedInput === null ? null : { uncachedInput, cacheRead, cacheWrite, output, reasoning } };
}
