import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { writeJobFolder } from '../artifacts/job-folder.ts';
import type { JobArtifacts } from '../artifacts/job-record.ts';
import { makeFolders } from '../artifacts/make-folders.ts';
import { type HeaderDocument, headerDocument, keepsArtifacts, resultLine, runHeader } from '../artifacts/result-line.ts';
import { writeResults } from '../artifacts/results-file.ts';
import { manifestResolvedJson, OUTPUT_FILES, writeText } from '../artifacts/run-files.ts';
import { writeFileAtomic } from '../artifacts/write-file.ts';
import type { Completion } from '../domain/completion.ts';
import type { OutputKind } from '../domain/manifest/resolved.ts';
import type { ResultLine, RunHeader } from '../domain/result-line.ts';
import type { ExportSource } from '../report/export/export-source.ts';
import { summaryMarkdown } from '../report/markdown.ts';
import { createSummary, type SummaryBuilder } from '../report/summarize.ts';
import type { Summary } from '../report/summary.ts';
import type { JobRecord, JobRow, RunRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { exportText } from './export-text.ts';
import { areFilesHere } from './files-here.ts';
import { headerState } from './header-state.ts';
import { sourcePaths } from './source-paths.ts';

/**
 * Files are projections of rows: written after the settle, rebuilt byte for byte at any time, so that a worker that lost its
 * lease, or died, cannot leave a wrong one behind for good.
 */
export type Projection = {
  readonly store: Store;
  readonly run: RunRow;
  /** Version of aieval, for the header. */
  readonly version: string;
  /** Told of a file of `outputs` that could not be written, and of what it leaves out. */
  readonly onWarning?: (message: string) => void;
  /** Writes report.html; whoever writes files of runs gives it, since the page is no part of the engine. */
  readonly writeHtml?: WriteHtml;
};

export type WriteHtml = (projection: Projection, onWarning: (message: string) => void) => Promise<void>;

const PAGE = 200;
/** Whose files are written before they are noted: what a process that dies leaves to be written again. */
const JOBS_PER_WRITE = 50;

/**
 * Writes the folder of one ended job, if the manifest keeps one for it, and notes that it is written. Where the run's folder is another
 * machine's it is left to that.
 */
export async function writeJobArtifacts(projection: Projection, record: JobRecord): Promise<void> {
  if (areFilesHere(projection)) await writeFolders(projection, [record]);
}

/** Writes the folders of those of the jobs for which the manifest keeps one. */
export async function writeJobFolders({ store, run }: Projection, records: readonly JobRecord[]): Promise<void> {
  for (const record of records) {
    if (!keepsArtifacts(record.job, run.manifest.artifacts)) continue;
    await writeJobFolder(run.outDir, await jobArtifacts(store, run.runId, record));
  }
}

async function writeFolders(projection: Projection, records: readonly JobRecord[]): Promise<void> {
  const { store, run } = projection;
  await writeJobFolders(projection, records);
  await store.markArtifacts(
    run.runId,
    run.outDir,
    records.map(({ job }) => job),
  );
}

/** Writes what is still unwritten: jobs that ended in another process, or while this one was dying. */
export async function writePendingArtifacts(projection: Projection): Promise<void> {
  const { store, run } = projection;
  for (let before: JobRow | undefined; ; ) {
    const rows = await store.jobsWithoutArtifacts(run.runId, JOBS_PER_WRITE);
    const [first] = rows;
    // What is still unmarked changed while it was written: whoever changed it writes it.
    if (first === undefined || (first.jobId === before?.jobId && first.endedAtMs === before.endedAtMs)) return;
    before = first;
    const current = (await store.getRun(run.runId)) ?? run;
    const records = await store.jobRecords(
      run.runId,
      rows.map(({ jobId }) => jobId),
    );
    await writeFolders({ ...projection, run: current }, records);
  }
}

async function jobArtifacts(store: Store, runId: string, record: JobRecord): Promise<JobArtifacts> {
  const tokens = new Set(record.calls.map(({ callToken }) => callToken));
  const answers = [record.job.result, ...record.steps].flatMap((each) => each?.callToken ?? []);
  for (const token of answers) tokens.add(token);
  const completions = new Map<string, Completion>();
  for (const token of tokens) {
    const completion = await store.response(token);
    if (completion !== null) completions.set(token, completion);
  }
  const content = await store.canonicalText(runId, record.job.documentId);
  const text = content === null ? null : { sha256: content.textSha256, text: content.text };
  return { ...record, completions, text, pages: content?.pages ?? [] };
}

/** While others still work on the run its rows may change under every try; whoever works last writes the final one. */
const SUMMARY_TRIES = 3;

/**
 * Writes the run's own files: the manifest as resolved, the texts, `results.jsonl` and `summary.md`. Rows that change meanwhile are
 * read again; files that could not catch up count as unwritten.
 */
export async function writeRunFiles(projection: Projection): Promise<void> {
  const { store, run } = projection;
  await writePlanFiles(projection);
  for (let tries = 0; tries < SUMMARY_TRIES; tries += 1) {
    const current = (await store.getRun(run.runId)) ?? run;
    await writeResultFiles({ ...projection, run: current });
    if (await store.markSummary(run.runId, current.revision)) return;
  }
}

/** What a run's files hold of what was asked: it does not change while it is worked on. */
export async function writePlanFiles({ store, run }: Projection): Promise<void> {
  await writeFileAtomic(`${run.outDir}/manifest.resolved.json`, manifestResolvedJson(run.manifest));
  // Where no job keeps a folder, too: that there is none means that all files are gone.
  makeFolders(join(run.outDir, 'jobs'));
  for (const { documentId } of await store.documents(run.runId)) {
    const text = await store.canonicalText(run.runId, documentId);
    if (text !== null) await writeText(run.outDir, { sha256: text.textSha256, text: text.text });
  }
}

/** What came of the run, as its rows say now. */
export async function writeResultFiles(projection: Projection): Promise<void> {
  const { outDir } = projection.run;
  const header = await readHeader(projection);
  const summary = createSummary(header);
  await writeResults(outDir, header, addedTo(summary, resultLines(projection)));
  await writeFileAtomic(`${outDir}/summary.md`, summaryMarkdown(summary.finish()));
  await removeUnnamed(projection.run);
  for (const kind of projection.run.manifest.outputs) await tryOutput(projection, kind);
}

/**
 * Files of earlier `outputs` tell what is no longer so, and may hold words that `privacy` has since forbidden. A report.html may be one that
 * was asked for by itself: it stays where words may.
 */
async function removeUnnamed({ outDir, manifest }: RunRow): Promise<void> {
  const { outputs, privacy } = manifest;
  const kept = new Set<string>([...outputs, ...(privacy.evidence === 'none' ? [] : ['html'])]);
  for (const [kind, name] of Object.entries(OUTPUT_FILES)) if (!kept.has(kind)) await rm(join(outDir, name), { force: true });
}

async function* addedTo(summary: SummaryBuilder, lines: AsyncIterable<ResultLine>): AsyncGenerator<ResultLine> {
  for await (const line of lines) {
    summary.add(line);
    yield line;
  }
}

/** The answers are paid for and the summary is written: no report may fail a run, whatever is wrong with it. */
async function tryOutput(projection: Projection, kind: OutputKind): Promise<void> {
  const tell = (message: string): void => projection.onWarning?.(`${OUTPUT_FILES[kind]}: ${message}`);
  try {
    await writeOutput(projection, kind, tell);
  } catch (error) {
    tell(`not written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function writeOutput(projection: Projection, kind: OutputKind, onNote: (note: string) => void): Promise<void> {
  const { run, writeHtml } = projection;
  if (kind === 'html') return await writeHtml?.(projection, onNote);
  const text = exportText(kind, await readResultSource(projection), { pathOf: sourcePaths(run), onNote });
  await writeFileAtomic(join(run.outDir, OUTPUT_FILES[kind]), text);
}

/** A run's results as its rows say now; works on unfinished runs. The header is read at once, the jobs at each reading. */
export async function readResultSource(projection: Projection): Promise<ExportSource> {
  return { header: await readHeader(projection), lines: () => resultLines(projection) };
}

/** The run as its rows say now; works on unfinished runs. */
export async function readSummary(projection: Projection): Promise<Summary> {
  const summary = createSummary(await readHeader(projection));
  for await (const line of resultLines(projection)) summary.add(line);
  return summary.finish();
}

/** Line 1 of the run's results, as its rows say now. */
export async function readHeader({ store, run, version }: Projection): Promise<RunHeader> {
  const documents: HeaderDocument[] = [];
  for (const document of await store.documents(run.runId)) {
    documents.push(headerDocument(document, await store.canonicalText(run.runId, document.documentId)));
  }
  const totals = await store.runTotals(run.runId);
  // A full path would carry a home directory into pull requests.
  const source = { ...run, manifestPath: basename(run.manifestPath) };
  return runHeader({ run: source, manifest: run.manifest, documents, jobs: totals.jobs.total, version, state: headerState(totals) });
}

async function* resultLines({ store, run }: Projection): AsyncGenerator<ResultLine> {
  for (let after = -1; ; ) {
    const rows = await store.jobRows(run.runId, { after, limit: PAGE });
    for (const row of rows) yield resultLine(row, run.manifest.artifacts);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.seq;
  }
}
