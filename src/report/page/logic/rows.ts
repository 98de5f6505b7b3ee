import type { JobVerdict } from '../../../domain/verdict.ts';
import type { ReportIndex, ReportRow } from '../../html/report-data.ts';
import type { Summary } from '../../summary.ts';
import { commonFolder } from './names.ts';
import type { Facet } from './view.ts';

/** `open`: has no verdict yet. */
export type RowVerdict = JobVerdict | 'open';

/** Worst first: what a person must act on stands on top. */
const VERDICTS: readonly RowVerdict[] = ['fail', 'error', 'review', 'open', 'pass'];

/** The same, where so much could not be evaluated that the run is incomplete: that decides what to do next. */
const INCOMPLETE_VERDICTS: readonly RowVerdict[] = ['error', 'fail', 'review', 'open', 'pass'];

/** The verdicts of a run's jobs in the order in which they want to be looked at. */
export function verdictOrder(verdict: Summary['verdict']): readonly RowVerdict[] {
  return verdict === 'incomplete' ? INCOMPLETE_VERDICTS : VERDICTS;
}

/** A job of the table with what filters and order need to know. */
export type IndexedRow = {
  /** Place in plan order. */
  readonly place: number;
  readonly row: ReportRow;
  readonly document: string;
  /** The document without the folder that all have in common. */
  readonly name: string;
  readonly verdict: RowVerdict;
  /** Place of its verdict among those of the run. */
  readonly rank: number;
  /** `fast #1` where a task is asked several times, else `fast`. */
  readonly model: string;
  /** In lower case: what the search looks at. */
  readonly text: string;
};

/** In plan order. */
export function indexRows(index: Pick<ReportIndex, 'jobs' | 'documents'>, order = verdictOrder(null)): IndexedRow[] {
  const folder = commonFolder(index.documents.map(({ id }) => id));
  const repeated = new Set(index.jobs.filter(({ repeat }) => repeat > 0).map(({ task }) => task));
  return index.jobs.map((row, place) => {
    const document = index.documents[row.document]?.id ?? '';
    const words = [document, row.task, row.model, row.jobId, row.reason ?? '', row.note, ...row.checks];
    const model = repeated.has(row.task) ? `${row.model} #${row.repeat + 1}` : row.model;
    const name = document.slice(folder.length);
    const verdict = verdictOf(row);
    return { place, row, document, name, verdict, rank: order.indexOf(verdict), model, text: words.join('\n').toLowerCase() };
  });
}

function verdictOf({ verdict, state }: ReportRow): RowVerdict {
  return verdict ?? (state === 'cancelled' ? 'error' : 'open');
}

/** What a job has of a facet. */
export function valuesOf({ row, verdict, document }: IndexedRow, facet: Facet): readonly string[] {
  switch (facet) {
    case 'verdict':
      return [verdict];
    case 'task':
      return [row.task];
    case 'model':
      return [row.model];
    case 'check':
      return row.checks;
    case 'reason':
      return row.reason === null ? [] : [row.reason];
    case 'cached':
      return [row.cached ? 'yes' : 'no'];
    case 'document':
      return [document];
  }
}
