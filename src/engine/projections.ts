import { basename } from 'node:path';
import { writeJobFolder } from '../artifacts/job-folder.ts';
import type { JobArtifacts } from '../artifacts/job-record.ts';
import { type HeaderDocument, headerDocument, keepsArtifacts, resultLine, runHeader } from '../artifacts/result-line.ts';
import { writeResults } from '../artifacts/results-file.ts';
import { manifestResolvedJson, writeText } from '../artifacts/run-files.ts';
import { writeFileAtomic } from '../artifacts/write-file.ts';
import type { Completion } from '../domain/completion.ts';
import type { ResultLine, RunHeader } from '../domain/result-line.ts';
import { summaryMarkdown } from '../report/markdown.ts';
import { createSummary } from '../report/summarize.ts';
import type { Summary } from '../report/summary.ts';
import type { JobRecord, JobRow, RunRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { headerState } from './header-state.ts';

/**
 * Files are projections of rows: written after the settle, rebuilt byte for byte at any time, so that a worker that lost its
 * lease, or died, cannot leave a wrong one behind for good.
 */
export type Projection = {
  readonly store: Store;
  readonly run: RunRow;
  /** Version of aieval, for the header. */
  readonly version: string;
};

const PAGE = 200;

/** Writes the folder of one ended job, if the manifest keeps one for it, and notes that it is written. */
export async function writeJobArtifacts({ store, run }: Projection, record: JobRecord): Promise<void> {
  if (keepsArtifacts(record.job, run.manifest.artifacts)) {
    await writeJobFolder(run.outDir, await jobArtifacts(store, run.runId, record));
  }
  await store.markArtifacts(run.runId, run.outDir, [record.job]);
}

/** Writes what is still unwritten: jobs that ended in another process, or while this one was dying. */
export async function writePendingArtifacts(projection: Projection): Promise<void> {
  const { store, run } = projection;
  for (let before: JobRow | undefined; ; ) {
    const rows = await store.jobsWithoutArtifacts(run.runId, PAGE);
    const [first] = rows;
    // What is still unmarked changed while it was written: whoever changed it writes it.
    if (first === undefined || (first.jobId === before?.jobId && first.endedAtMs === before.endedAtMs)) return;
    before = first;
    const current = (await store.getRun(run.runId)) ?? run;
    for (const { jobId } of rows) {
      const record = await store.jobRecord(run.runId, jobId);
      if (record !== null) await writeJobArtifacts({ ...projection, run: current }, record);
    }
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
  await writeFileAtomic(`${run.outDir}/manifest.resolved.json`, manifestResolvedJson(run.manifest));
  for (const { documentId } of await store.documents(run.runId)) {
    const text = await store.canonicalText(run.runId, documentId);
    if (text !== null) await writeText(run.outDir, { sha256: text.textSha256, text: text.text });
  }
  for (let tries = 0; tries < SUMMARY_TRIES; tries += 1) {
    const current = (await store.getRun(run.runId)) ?? run;
    await writeResultFiles({ ...projection, run: current });
    if (await store.markSummary(run.runId, current.revision)) return;
  }
}

async function writeResultFiles(projection: Projection): Promise<void> {
  const { outDir } = projection.run;
  await writeResults(outDir, await readHeader(projection), resultLines(projection));
  await writeFileAtomic(`${outDir}/summary.md`, summaryMarkdown(await readSummary(projection)));
}

/** The run as its rows say now; works on unfinished runs. */
export async function readSummary(projection: Projection): Promise<Summary> {
  const summary = createSummary(await readHeader(projection));
  for await (const line of resultLines(projection)) summary.add(line);
  return summary.finish();
}

async function readHeader({ store, run, version }: Projection): Promise<RunHeader> {
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
