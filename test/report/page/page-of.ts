import { readFileSync } from 'node:fs';
import type { ResultLine, RunHeader } from '../../../src/domain/result-line.ts';
import type { ReportDocument, ReportIndex, ReportJob } from '../../../src/report/html/report-data.ts';
import { reportHtml } from '../../../src/report/html/report-html.ts';
import { reportRow } from '../../../src/report/html/report-row.ts';
import { summarize } from '../../../src/report/summarize.ts';

const PAGE = new URL('../../../dist/report/page/', import.meta.url);

export type PageSample = {
  readonly header: RunHeader;
  readonly lines: readonly ResultLine[];
  readonly documents: readonly (ReportDocument | null)[];
  readonly strings: readonly string[];
  readonly jobsPerBlock: number;
  readonly notes: readonly string[];
  readonly artifactsBase: string | null;
  /** What is known of a job beside its line. */
  readonly detail: (line: ResultLine) => Partial<ReportJob>;
};

/** The report as `aieval report` writes it, with the built page. */
export async function pageOf(sample: PageSample): Promise<string> {
  const { header: run, lines, documents, strings, jobsPerBlock, notes, artifactsBase } = sample;
  const places = new Map(run.documents.map(({ id }, place) => [id, place]));
  const index: ReportIndex = {
    v: 1,
    summary: summarize(run, lines),
    jobs: lines.map((each) => reportRow(each, places.get(each.document) ?? 0)),
    documents: run.documents.map(({ id, pages, characters, warnings, error }, place) => ({
      ...{ id, pages, characters, warnings, error },
      text: (documents[place] ?? null) !== null,
    })),
    jobsPerBlock,
    notes,
    artifactsBase,
  };
  async function* texts() {
    for (const [place, document] of documents.entries()) if (document !== null) yield { place, document };
  }
  async function* jobs() {
    for (const each of lines) yield jobOf(each, sample.detail(each));
  }
  const assets = { script: readFileSync(new URL('page.js', PAGE), 'utf8'), style: readFileSync(new URL('page.css', PAGE), 'utf8') };
  const pieces: string[] = [];
  for await (const piece of reportHtml({ index, documents: texts(), jobs: jobs(), strings: () => strings, assets })) pieces.push(piece);
  return pieces.join('');
}

function jobOf(each: ResultLine, over: Partial<ReportJob>): ReportJob {
  const { jobId, scores, error, repaired, reasked, usage, origin, artifacts } = each;
  return {
    ...{ jobId, scores, error, repaired, reasked, usage, artifacts },
    coverage: each.coverage ?? null,
    origin: origin && { runId: origin.runId, jobId: origin.jobId, costUsd: origin.costUsd },
    answer: { findings: [] },
    steps: [],
    attempts: [],
    ...over,
  };
}
