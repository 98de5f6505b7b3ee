import type { JobVerdict } from '../../../domain/verdict.ts';
import type { ReportIndex, ReportRow } from '../../html/report-data.ts';
import { commonFolder } from './names.ts';
import type { Facet } from './view.ts';

/** `open`: has no verdict yet. */
export type RowVerdict = JobVerdict | 'open';

/** Worst first: what a person must act on stands on top. */
export const VERDICTS: readonly RowVerdict[] = ['fail', 'error', 'review', 'open', 'pass'];

/** A job of the table with what filters and order need to know. */
export type IndexedRow = {
  /** Place in plan order. */
  readonly place: number;
  readonly row: ReportRow;
  readonly document: string;
  /** The document without the folder that all have in common. */
  readonly name: string;
  readonly verdict: RowVerdict;
  /** In lower case: what the search looks at. */
  readonly text: string;
};

/** In plan order. */
export function indexRows(index: Pick<ReportIndex, 'jobs' | 'documents'>): IndexedRow[] {
  const folder = commonFolder(index.documents.map(({ id }) => id));
  return index.jobs.map((row, place) => {
    const document = index.documents[row.document]?.id ?? '';
    const words = [document, row.task, row.model, row.jobId, row.reason ?? '', row.note, ...row.checks];
    return { place, row, document, name: document.slice(folder.length), verdict: verdictOf(row), text: words.join('\n').toLowerCase() };
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
