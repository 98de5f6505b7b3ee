import type { NewJob } from './plan-rows.ts';

/** Rows that one transaction inserts, if no job alone has more: a longer one would hold the write lock against everyone's claims. */
const ROWS_PER_TRANSACTION = 250;

/** Jobs as they are inserted together. Each whole: it could be claimed and finished before its last parts are there. */
export function* batchesOf<Job extends Pick<NewJob, 'steps'>>(jobs: readonly Job[]): Generator<readonly Job[]> {
  let batch: Job[] = [];
  let rows = 0;
  for (const job of jobs) {
    const more = 1 + job.steps.length;
    if (batch.length > 0 && rows + more > ROWS_PER_TRANSACTION) {
      yield batch;
      [batch, rows] = [[], 0];
    }
    batch.push(job);
    rows += more;
  }
  if (batch.length > 0) yield batch;
}
