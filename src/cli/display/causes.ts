import type { Reason } from '../../domain/reason.ts';
import type { JobError } from '../../domain/result.ts';
import type { JobRow, RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { rowLabel } from '../jobs/job-names.ts';
import { jobRowsOf } from '../jobs/job-rows.ts';
import { mergeFix } from '../plan/merge-fix.ts';

export type CauseExample = {
  readonly label: string;
  readonly jobId: string;
  readonly task: string;
  readonly model: string;
  readonly message: string;
};

/** Why jobs did not pass, the most frequent cause first. */
export type Causes = {
  readonly errors: readonly { readonly reason: Reason; readonly count: number; readonly example: CauseExample }[];
  /** Checks of severity `must` that failed; a job with two of them counts in both. */
  readonly failedChecks: readonly { readonly check: string; readonly count: number; readonly example: CauseExample }[];
  readonly failedJobs: number;
  /** Jobs about which a person must decide; the first of them is the example. */
  readonly reviews: { readonly count: number; readonly example: CauseExample } | null;
};

/** Groups a run's jobs by what went wrong with them. The example is the first in the order given. */
export function causesOf(run: Pick<RunRow, 'manifest'>, rows: Iterable<JobRow>): Causes {
  const tally = new CauseTally(run);
  for (const row of rows) tally.add(row);
  return tally.causes();
}

/** The same of all jobs of a run, read page by page. */
export async function readCauses(store: Pick<Store, 'jobRows'>, run: RunRow): Promise<Causes> {
  const tally = new CauseTally(run);
  for await (const row of jobRowsOf(store, run.runId)) tally.add(row);
  return tally.causes();
}

class CauseTally {
  readonly #run: Pick<RunRow, 'manifest'>;
  readonly #errors = new Map<string, Group & { readonly reason: Reason }>();
  readonly #checks = new Map<string, Group>();
  #failedJobs = 0;
  #reviews: Group | null = null;

  constructor(run: Pick<RunRow, 'manifest'>) {
    this.#run = run;
  }

  add(row: JobRow): void {
    if (row.error !== null && row.state === 'failed') this.#addError(row, row.error);
    if (row.verdict === 'review') this.#addReview(row);
    if (row.verdict !== 'fail') return;
    this.#failedJobs += 1;
    for (const score of row.result?.scores ?? []) {
      if (score.verdict === 'fail' && score.severity === 'must') count(this.#checks, score.check, this.#example(row, score.explanation));
    }
  }

  causes(): Causes {
    return {
      errors: sorted(this.#errors).map(([, { reason, count, example }]) => ({ reason, count, example })),
      failedChecks: sorted(this.#checks).map(([check, group]) => ({ check, ...group })),
      failedJobs: this.#failedJobs,
      reviews: this.#reviews,
    };
  }

  /** What is mended in another way is another cause. */
  #addError(row: JobRow, { reason, message }: JobError): void {
    const key = `${reason} ${mergeFix(row.task, message) ?? ''}`;
    const group = this.#errors.get(key) ?? { reason, count: 0, example: this.#example(row, message) };
    group.count += 1;
    this.#errors.set(key, group);
  }

  #addReview(row: JobRow): void {
    const score = row.result?.scores.find(({ verdict }) => verdict === 'review');
    this.#reviews ??= { count: 0, example: this.#example(row, score?.explanation ?? '') };
    this.#reviews.count += 1;
  }

  #example(row: JobRow, message: string): CauseExample {
    return { label: rowLabel(this.#run, row), jobId: row.jobId, task: row.task, model: row.model, message };
  }
}

type Group = { count: number; readonly example: CauseExample };

function count<Name>(groups: Map<Name, Group>, name: Name, example: CauseExample): void {
  const group = groups.get(name);
  if (group === undefined) groups.set(name, { count: 1, example });
  else group.count += 1;
}

function sorted<Name, Counted extends Group>(groups: Map<Name, Counted>): [Name, Counted][] {
  return [...groups].sort(([, a], [, b]) => b.count - a.count);
}
