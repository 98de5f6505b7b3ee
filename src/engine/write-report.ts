import { writeFileAtomic } from '../artifacts/write-file.ts';
import type { CanonicalText } from '../domain/document.ts';
import { UserError } from '../domain/errors.ts';
import { type Contents, megabytes, shrinking, shrinkingNotes, WITHOUT_WORDS, WORDS_NOTE } from '../report/html/contents.ts';
import { citedExcerpts, wholeText } from '../report/html/excerpts.ts';
import type { PageAssets } from '../report/html/page-assets.ts';
import type { ReportDocument, ReportIndex, ReportJob } from '../report/html/report-data.ts';
import { reportHtml } from '../report/html/report-html.ts';
import { reportJob } from '../report/html/report-job.ts';
import { type StringTable, stringTable } from '../report/html/string-table.ts';
import { shownLine } from '../report/privacy.ts';
import type { JobRecord } from '../store/rows.ts';
import type { Projection } from './projections.ts';
import { type ReportOutline, readOutline } from './report-outline.ts';
import { jobSource } from './report-source.ts';

export type ReportRequest = {
  /** Absolute. */
  readonly path: string;
  /** How much of each document is wanted. */
  readonly docs: Contents['docs'];
  readonly artifactsBase: string | null;
  readonly assets: PageAssets;
};

/** A report that was written. */
export type WrittenReport = { readonly path: string; readonly bytes: number; readonly warnings: readonly string[] };

const JOBS_PER_BLOCK = 50;
const JOBS_PER_READ = 50;

export type ReportLimits = {
  /** Above this a report is slow to open and hard to send: texts are left out. */
  readonly shrinkBytes: number;
  /** Above this nobody can open it, whatever is left out. */
  readonly mostBytes: number;
};

const LIMITS: ReportLimits = { shrinkBytes: 50e6, mostBytes: 200e6 };

/**
 * Writes report.html of a run as its rows say now; works on unfinished runs. One that is too large is written with less in it, which its
 * notes and the warnings say. Throws a `UserError` when even that is too large, or the file cannot be written (exit 8).
 */
export async function writeReport(projection: Projection, request: ReportRequest, limits = LIMITS): Promise<WrittenReport> {
  const outline = await readOutline(projection);
  const isPrivate = projection.run.manifest.privacy.evidence === 'none';
  const [wanted, ...smaller] = isPrivate ? ([WITHOUT_WORDS] as const) : shrinking(request.docs);
  for (const contents of [wanted, ...smaller]) {
    const isLast = contents === (smaller.at(-1) ?? wanted);
    const left = shrinkingNotes(wanted, contents, limits.shrinkBytes);
    const html = htmlOf(projection, { request, outline, contents, notes: [...(isPrivate ? [WORDS_NOTE] : []), ...left] });
    const bytes = await tryWrite(request.path, html, isLast ? limits.mostBytes : limits.shrinkBytes);
    if (bytes !== null) return { path: request.path, bytes, warnings: [...left, ...largeNote(bytes, limits)] };
  }
  throw tooLarge(projection, limits);
}

function largeNote(bytes: number, { shrinkBytes }: ReportLimits): readonly string[] {
  return bytes > shrinkBytes ? [`the report has ${megabytes(bytes)}: a browser takes a while to open it`] : [];
}

function tooLarge({ run: { runId } }: Projection, { mostBytes }: ReportLimits): UserError {
  return new UserError({
    code: 'E38',
    exitCode: 2,
    message: `the report of ${runId} would have more than ${megabytes(mostBytes)}, which no browser shows well`,
    next: [`aieval report ${runId} --docs none`, `aieval export ${runId} --format csv -o results.csv`],
  });
}

class TooManyBytes extends Error {}

/** Bytes of the file; `null`, and no file, when there would be more than `most`. */
async function tryWrite(path: string, pieces: AsyncIterable<string>, most: number): Promise<number | null> {
  let bytes = 0;
  async function* counted(): AsyncGenerator<string> {
    for await (const piece of pieces) {
      bytes += Buffer.byteLength(piece);
      if (bytes > most) throw new TooManyBytes();
      yield piece;
    }
  }
  try {
    await writeFileAtomic(path, counted());
    return bytes;
  } catch (error) {
    if (error instanceof TooManyBytes) return null;
    throw error;
  }
}

type Wanted = {
  readonly request: ReportRequest;
  readonly outline: ReportOutline;
  readonly contents: Contents;
  readonly notes: readonly string[];
};

function htmlOf(projection: Projection, { request, outline, contents, notes }: Wanted): AsyncGenerator<string> {
  const strings = stringTable();
  const documents = outline.header.documents.map(({ id, pages, characters, warnings, error }) => ({
    ...{ id, pages, characters, warnings, error },
    text: characters !== null && (contents.docs === 'full' || (contents.docs === 'cited' && outline.cited.has(id))),
  }));
  return reportHtml({
    index: { v: 1, ...outline.index, documents, jobsPerBlock: JOBS_PER_BLOCK, notes, artifactsBase: request.artifactsBase },
    documents: documentTexts(projection, outline, contents, documents),
    jobs: jobDetails(projection, outline, contents, strings),
    strings: () => strings.all(),
    assets: request.assets,
  });
}

async function* documentTexts(
  { store, run }: Projection,
  { cited }: ReportOutline,
  { docs }: Contents,
  documents: ReportIndex['documents'],
): AsyncGenerator<{ place: number; document: ReportDocument }> {
  for (const [place, { id, text }] of documents.entries()) {
    const content = text ? await store.canonicalText(run.runId, id) : null;
    if (content === null) continue;
    yield { place, document: docs === 'full' ? wholeText(content) : citedExcerpts(content, cited.get(id) ?? []) };
  }
}

type Known = { readonly id: string | null; readonly content: CanonicalText | null };

/** Jobs of one document stand together in plan order, so its text is read once. */
async function* jobDetails(
  { store, run }: Projection,
  { index, header }: ReportOutline,
  contents: Contents,
  strings: StringTable,
): AsyncGenerator<ReportJob> {
  let known: Known = { id: null, content: null };
  for await (const record of listedRecords({ store, run }, index)) {
    const { documentId: id } = record.job;
    if (known.id !== id) known = { id, content: contents.prompts ? await store.canonicalText(run.runId, id) : null };
    const source = await jobSource({ store, run, prompts: contents.prompts }, record, known.content);
    yield reportJob({ ...source, line: shownLine(source.line, header) }, contents, strings);
  }
}

async function* listedRecords(
  { store, run }: Pick<Projection, 'store' | 'run'>,
  { jobs }: ReportOutline['index'],
): AsyncGenerator<JobRecord> {
  for (let start = 0; start < jobs.length; start += JOBS_PER_READ) {
    const listed = jobs.slice(start, start + JOBS_PER_READ);
    const records = await store.jobRecords(
      run.runId,
      listed.map(({ jobId }) => jobId),
    );
    if (records.length < listed.length) throw new Error(`jobs of ${run.runId} were listed and are gone`);
    yield* records;
  }
}
