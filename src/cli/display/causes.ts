import type { Reason } from '../../domain/reason.ts';
import type { JobRow, RunRow } from '../../store/rows.ts';
import { rowLabel } from '../job-names.ts';

type CauseExample = { readonly label: string; readonly jobId: string; readonly message: string };

/** Why jobs did not pass, the most frequent cause first. */
export type Causes = {
  readonly errors: readonly { readonly reason: Reason; readonly count: number; readonly example: CauseExample }[];
  /** Checks of severity `must` that failed; a job with two of them counts in both. */
  readonly failedChecks: readonly { readonly check: string; readonly count: number; readonly example: CauseExample }[];
  readonly failedJobs: number;
};

/** Groups a run's jobs by what went wrong with them. The example is the first in the order given. */
export function causesOf(run: Pick<RunRow, 'manifest'>, rows: Iterable<JobRow>): Causes {
  const errors = new Map<Reason, Group>();
  const checks = new Map<string, Group>();
  let failedJobs = 0;
  const example = (row: JobRow, message: string): CauseExample => ({ label: rowLabel(run, row), jobId: row.jobId, message });
  for (const row of rows) {
    if (row.error !== null && row.state === 'failed') count(errors, row.error.reason, example(row, row.error.message));
    if (row.verdict !== 'fail') continue;
    failedJobs += 1;
    for (const score of row.result?.scores ?? []) {
      if (score.verdict === 'fail' && score.severity === 'must') count(checks, score.check, example(row, score.explanation));
    }
  }
  return {
    errors: sorted(errors).map(([reason, group]) => ({ reason, ...group })),
    failedChecks: sorted(checks).map(([check, group]) => ({ check, ...group })),
    failedJobs,
  };
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
