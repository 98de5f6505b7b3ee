import type { Reason } from '../../domain/reason.ts';
import type { JobRow, RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { rowLabel } from '../job-names.ts';
import { jobRowsOf } from '../job-rows.ts';

type CauseExample = { readonly label: string; readonly jobId: string; readonly model: string; readonly message: string };

/** Why jobs did not pass, the most frequent cause first. */
export type Causes = {
  readonly errors: readonly { readonly reason: Reason; readonly count: number; readonly example: CauseExample }[];
  /** Checks of severity `must` that failed; a job with two of them counts in both. */
  readonly failedChecks: readonly { readonly check: string; readonly count: number; readonly example: CauseExample }[];
  readonly failedJobs: number;
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
  readonly #errors = new Map<Reason, Group>();
  readonly #checks = new Map<string, Group>();
  #failedJobs = 0;

  constructor(run: Pick<RunRow, 'manifest'>) {
    this.#run = run;
  }

  add(row: JobRow): void {
    if (row.error !== null && row.state === 'failed') count(this.#errors, row.error.reason, this.#example(row, row.error.message));
    if (row.verdict !== 'fail') return;
    this.#failedJobs += 1;
    for (const score of row.result?.scores ?? []) {
      if (score.verdict === 'fail' && score.severity === 'must') count(this.#checks, score.check, this.#example(row, score.explanation));
    }
  }

  causes(): Causes {
    return {
      errors: sorted(this.#errors).map(([reason, group]) => ({ reason, ...group })),
      failedChecks: sorted(this.#checks).map(([check, group]) => ({ check, ...group })),
      failedJobs: this.#failedJobs,
    };
  }

  #example(row: JobRow, message: string): CauseExample {
    return { label: rowLabel(this.#run, row), jobId: row.jobId, model: row.model, message };
  }
}

type Group = { count: number; readonly example: CauseExample };

function count<Name>(groups: Map<Name, Group>, name: Name, example: CauseExample): void {
  const group = groups.get(name);
  if (group === undefined) groups.set(name, { count: 1, example });
  else group.count += 1;
}

function sorted<Name>(groups: Map<Name, Group>): [Name, Group][] {
  return [...groups].sort(([, a], [, b]) => b.count - a.count);
}
