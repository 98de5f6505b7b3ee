import { resultLine } from '../artifacts/result-line.ts';
import type { Span } from '../domain/document.ts';
import type { RunHeader } from '../domain/result-line.ts';
import { citedSpans } from '../report/html/excerpts.ts';
import type { ReportIndex, ReportRow } from '../report/html/report-data.ts';
import { reportRow } from '../report/html/report-row.ts';
import { shownHeader, shownLine } from '../report/privacy.ts';
import { createSummary } from '../report/summarize.ts';
import type { JobRow } from '../store/rows.ts';
import { type Projection, readHeader } from './projections.ts';

const PAGE = 200;

/** What must be known before the first job is written: the table, and which places of the documents are cited. */
export type ReportOutline = {
  readonly index: Pick<ReportIndex, 'summary' | 'jobs'>;
  /** As it may be shown. */
  readonly header: RunHeader;
  /** By document. */
  readonly cited: ReadonlyMap<string, readonly Span[]>;
};

/** Reads the run's jobs once. */
export async function readOutline(projection: Projection): Promise<ReportOutline> {
  const told = await readHeader(projection);
  const header = shownHeader(told);
  const places = new Map(header.documents.map(({ id }, index) => [id, index]));
  const builder = createSummary(told);
  const jobs: ReportRow[] = [];
  const cited = new Map<string, Span[]>();
  for await (const row of allRows(projection)) {
    const said = resultLine(row, projection.run.manifest.artifacts);
    // Hides the words of a private run itself.
    builder.add(said);
    const line = shownLine(said, header);
    jobs.push(reportRow(line, places.get(line.document) ?? 0));
    const spans = citedSpans(line.scores);
    const known = cited.get(line.document);
    if (known === undefined) cited.set(line.document, [...spans]);
    else known.push(...spans);
  }
  return { header, index: { summary: builder.finish(), jobs }, cited };
}

async function* allRows({ store, run }: Projection): AsyncGenerator<JobRow> {
  for (let after = -1; ; ) {
    const rows = await store.jobRows(run.runId, { after, limit: PAGE });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.seq;
  }
}
