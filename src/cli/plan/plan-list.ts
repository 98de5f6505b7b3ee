import { oneLine } from '../../domain/hostile-text.ts';
import { advised } from '../../domain/next-step.ts';
import type { NewJob } from '../../store/plan-rows.ts';
import { rowLabel, shortJobId } from '../jobs/job-names.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import type { JobFate } from './job-fates.ts';
import type { Prepared } from './prepare.ts';

type Named = Pick<Prepared, 'manifest'>;

const FATES = { cached: 'cached', known_bad: 'known bad', failed: 'cannot be asked', to_run: 'to run' } as const satisfies Record<
  JobFate['fate'],
  string
>;

const HEAD: readonly Column[] = [
  { title: 'FATE' },
  { title: 'JOB' },
  { title: 'ID' },
  { title: 'CALLS', align: 'right' },
  { title: 'NOTE' },
];
const CALLS = 3;
/** A whole label is needed to name a job. */
const LONGEST_CELL = 4000;

/** One line for each job below a header, with tabs between the cells: for `cut`, `awk` and `sort`. */
export async function* jobTsv(named: Named, fates: AsyncIterable<readonly JobFate[]>): AsyncGenerator<readonly string[]> {
  yield tsv([HEAD.map(({ title }) => title)]);
  for await (const page of fates) yield tsv(rowsOf(named, page));
}

function tsv(rows: readonly string[][]): string[] {
  return rows.map((row) => row.map((cell) => oneLine(cell, LONGEST_CELL)).join('\t'));
}

/** The same as a table of at most `columns` columns, with short ids and without what no job has. */
export function jobTable(named: Named, fates: readonly JobFate[], columns: number): string[] {
  const isInParts = fates.some(({ job }) => callsInJob(job) > 1);
  const rows = rowsOf(named, fates).map(([fate = '', name = '', id = '', calls = '', note = '']) => [
    fate,
    name,
    shortJobId(id),
    calls,
    note,
  ]);
  const shown = HEAD.map((_, at) => (at === CALLS ? isInParts : rows.some((row) => row[at] !== '')));
  return tableLines(
    HEAD.filter((_, at) => shown[at]),
    rows.map((row) => row.filter((_, at) => shown[at])),
    columns,
  );
}

/** The same for scripts. */
export function jobRecords(fates: readonly JobFate[]): object[] {
  return fates.map(({ job, fate, ask, later }) => ({
    ...{ jobId: job.jobId, document: job.documentId, task: job.task, model: job.model, repeat: job.repeat, fate },
    reason: job.failure?.reason ?? null,
    calls: { total: callsInJob(job), toRun: ask.length + later.length },
  }));
}

/** Calls that the job takes, were nothing known yet. */
export function callsInJob({ steps, later }: NewJob): number {
  return steps.length + later.length;
}

/** With the names that `show` and `retry --job` take. */
function rowsOf(prepared: Named, fates: readonly JobFate[]): string[][] {
  return fates.map(({ job, fate, ask, later }) => [
    FATES[fate],
    rowLabel(prepared, job),
    job.jobId,
    String(ask.length + later.length),
    noteOf(job),
  ]);
}

function noteOf(job: NewJob): string {
  if (job.failure !== null) return `${job.failure.reason}: ${advised(job.failure).what}`;
  if (callsInJob(job) < 2) return '';
  return `${job.steps.length} parts${job.later.length === 0 ? '' : ' + reduce'}`;
}
