import { jobLabel } from '../../domain/job.ts';
import type { JobRow, RunRow } from '../../store/rows.ts';

const SHORT = 8;

/** `document:task:model`, with `#n` where the run repeats the task. */
export function rowLabel(run: Pick<RunRow, 'manifest'>, row: Pick<JobRow, 'documentId' | 'task' | 'model' | 'repeat'>): string {
  return jobLabel(row, run.manifest.tasks[row.task]?.repeats);
}

/** The beginning of a job id, long enough to name one job among millions, short enough to type. */
export function shortJobId(jobId: string): string {
  return jobId.slice(0, SHORT);
}
