import picomatch from 'picomatch';
import { UserError } from '../../domain/errors.ts';
import { oneLine } from '../../domain/hostile-text.ts';
import { nearest } from '../../domain/nearest.ts';
import type { JobRow, RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { EXIT } from '../exit-codes.ts';
import { findJobIds } from './find-job.ts';
import { jobRowsOf } from './job-rows.ts';

/** Jobs as a person selects them: each part that is there must hold, any of its values will do. */
export type JobFilter = {
  /** As `show` takes them. */
  readonly job?: readonly string[];
  /** Globs. */
  readonly document?: readonly string[];
  readonly task?: readonly string[];
  readonly model?: readonly string[];
};

const SUGGESTIONS = 3;

/** Whether anything is selected at all; without a filter it is the whole run. */
export function hasFilter({ job, document, task, model }: JobFilter): boolean {
  return [job, document, task, model].some((part) => part !== undefined);
}

/**
 * The jobs of the run that can still be cancelled and that the filter selects, in plan order. Throws `UserError` (exit 2) for a job, task
 * or model that the run does not have.
 */
export async function openJobsOf(store: Pick<Store, 'jobRows'>, run: RunRow, filter: JobFilter): Promise<readonly JobRow[]> {
  for (const name of filter.task ?? []) mustExist(run, 'task', name, Object.keys(run.manifest.tasks));
  for (const name of filter.model ?? []) mustExist(run, 'model', name, Object.keys(run.manifest.models));
  const jobIds = filter.job === undefined ? null : new Set(await findJobIds(store, run, filter.job));
  const isSelected = jobTest({ ...filter, jobIds });
  const open: JobRow[] = [];
  for await (const row of jobRowsOf(store, run.runId)) if (isOpen(row) && isSelected(row)) open.push(row);
  return open;
}

type Named = Pick<JobRow, 'jobId' | 'documentId' | 'task' | 'model'>;

/** The filter as a test of one job, its `job` names resolved. */
export function jobTest(filter: Omit<JobFilter, 'job'> & { readonly jobIds: ReadonlySet<string> | null }): (job: Named) => boolean {
  const { jobIds, document, task, model } = filter;
  const matches = picomatch([...(document ?? [])]);
  return (job) =>
    (jobIds === null || jobIds.has(job.jobId)) &&
    // A name with brackets or stars in it means itself, too.
    (document === undefined || document.includes(job.documentId) || matches(job.documentId)) &&
    (task === undefined || task.includes(job.task)) &&
    (model === undefined || model.includes(job.model));
}

function isOpen({ state }: JobRow): boolean {
  return state === 'queued' || state === 'running';
}

function mustExist({ runId }: RunRow, kind: 'task' | 'model', name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const closest = nearest(name, known, SUGGESTIONS);
  const message = `run ${runId} has no ${kind} "${oneLine(name)}". Closest: ${closest.map((each) => oneLine(each)).join(', ')}`;
  const next = [`aieval cancel ${runId} --${kind} ${closest[0] ?? ''} --dry-run`];
  throw new UserError({ code: 'E32', exitCode: EXIT.usage, message, next });
}
