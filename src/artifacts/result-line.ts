import type { CanonicalText } from '../domain/document.ts';
import type { JobState } from '../domain/job.ts';
import type { ArtifactsMode, ResolvedManifest } from '../domain/manifest/resolved.ts';
import { type Usage, usdOf } from '../domain/money.ts';
import type { Reason } from '../domain/reason.ts';
import type { JobError, JobResult, Origin } from '../domain/result.ts';
import type { ResultLine, RunHeader } from '../domain/result-line.ts';
import type { RunState } from '../domain/run.ts';
import { type SelectedSettings, selectedPart } from '../domain/selection.ts';
import type { Gate, JobVerdict } from '../domain/verdict.ts';

/** What a result line says of a job; a store's job row has it all. */
export type JobSource = {
  readonly jobId: string;
  readonly documentId: string;
  readonly task: string;
  readonly model: string;
  readonly repeat: number;
  readonly state: JobState;
  readonly verdict: JobVerdict | null;
  readonly result: JobResult | null;
  readonly error: JobError | null;
  readonly usage: Usage;
  readonly costNanoUsd: number | null;
  readonly calls: number;
  readonly attempts: number;
  readonly retries: number;
  readonly cached: boolean;
  readonly origin: Origin | null;
  readonly latencyMs: number | null;
};

/** What the header says of a run; a store's run row has it all. */
export type RunSource = {
  readonly runId: string;
  readonly name: string;
  readonly state: RunState;
  readonly manifestPath: string;
  readonly settings: SelectedSettings & { readonly gate: Gate };
  readonly createdAtMs: number;
  readonly finishedAtMs: number | null;
};

/** A document as a run has it; a store's document row has it all. */
export type DocumentSource = {
  readonly documentId: string;
  readonly bytesSha256: string | null;
  readonly content:
    | { readonly ok: true; readonly textSha256: string }
    | { readonly ok: false; readonly reason: Reason; readonly message: string };
};

export type HeaderDocument = RunHeader['documents'][number];

/** One document in the header; `text` is its canonical text where that is at hand. */
export function headerDocument(
  { documentId, bytesSha256, content }: DocumentSource,
  text: Pick<CanonicalText, 'pages' | 'text' | 'warnings'> | null,
): HeaderDocument {
  return {
    id: documentId,
    bytesSha256,
    textSha256: content.ok ? content.textSha256 : null,
    pages: text === null || text.pages.length === 0 ? null : text.pages.length,
    characters: text?.text.length ?? null,
    warnings: text?.warnings ?? [],
    error: content.ok ? null : { reason: content.reason, message: content.message },
  };
}

/** Line 1 of `results.jsonl`. `documents` in plan order; `jobs` is the number planned, `version` that of this program. */
export function runHeader(input: {
  readonly run: RunSource;
  readonly manifest: Pick<ResolvedManifest, 'tasks' | 'models' | 'providers' | 'privacy'>;
  readonly documents: readonly HeaderDocument[];
  readonly jobs: number;
  readonly version: string;
  /** What the rows say of the run beside its jobs. */
  readonly state?: Pick<RunHeader, 'speeds' | 'budget' | 'stoppedBy'>;
}): RunHeader {
  const { run, manifest, documents, jobs, version, state = {} } = input;
  return {
    v: 1,
    kind: 'run',
    run: {
      id: run.runId,
      name: run.name,
      state: run.state,
      startedAt: new Date(run.createdAtMs).toISOString(),
      finishedAt: run.finishedAtMs === null ? null : new Date(run.finishedAtMs).toISOString(),
    },
    version,
    manifest: run.manifestPath,
    gate: { minPassRate: run.settings.gate.minPassRate, maxErrorRate: run.settings.gate.maxErrorRate },
    privacy: manifest.privacy.evidence,
    tasks: mapValues(manifest.tasks, ({ repeats, aggregate }) => ({ repeats, aggregate })),
    models: mapValues(manifest.models, ({ provider, model }) => ({ provider: manifest.providers[provider]?.type ?? 'openai', model })),
    documents,
    jobs,
    ...selectionPart(run.settings, jobs),
    ...state,
  };
}

function selectionPart(settings: SelectedSettings, jobs: number): Pick<RunHeader, 'selection'> {
  const selection = selectedPart(settings, jobs);
  return selection === null ? {} : { selection };
}

function mapValues<T, U>(record: { readonly [key: string]: T }, map: (value: T) => U): { readonly [key: string]: U } {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

/**
 * One line of `results.jsonl`. `mode` decides whether the job has a folder to point to. A job that is asked afresh still has its old
 * result, and no verdict: nothing of it stands here.
 */
export function resultLine(job: JobSource, mode: ArtifactsMode): ResultLine {
  const { origin, error } = job;
  const result = job.verdict === null ? null : job.result;
  return {
    v: 1,
    jobId: job.jobId,
    document: job.documentId,
    task: job.task,
    model: job.model,
    repeat: job.repeat,
    state: job.state,
    verdict: job.verdict,
    scores: result?.scores ?? [],
    usage: job.usage,
    costUsd: usdOrNull(job.costNanoUsd),
    calls: job.calls,
    attempts: job.attempts,
    retries: job.retries,
    cached: job.cached,
    repaired: result?.repaired ?? false,
    reasked: result?.reasked ?? false,
    latencyMs: job.latencyMs,
    ...coveragePart(result),
    origin: origin && { runId: origin.runId, jobId: origin.jobId, costUsd: usdOrNull(origin.costNanoUsd), latencyMs: origin.latencyMs },
    error: error && { reason: error.reason, message: error.message },
    artifacts: keepsArtifacts(job, mode) ? jobFolder(job.jobId) : null,
  };
}

/** Spans are for tools; `show --json` has them. */
function coveragePart(result: JobResult | null): Pick<ResultLine, 'coverage'> {
  if (result?.coverage === undefined) return {};
  const { spans: _, ...coverage } = result.coverage;
  return { coverage };
}

function usdOrNull(nanoUsd: number | null): number | null {
  return nanoUsd === null ? null : usdOf(nanoUsd);
}

/** Whether a job gets a folder: once it has ended, and for `paid` if this run called for it, for `failures` if it did not pass. */
export function keepsArtifacts(job: Pick<JobSource, 'state' | 'verdict' | 'cached'>, mode: ArtifactsMode): boolean {
  if (job.state === 'queued' || job.state === 'running') return false;
  if (mode === 'paid') return !job.cached;
  return mode === 'all' || job.verdict !== 'pass';
}

/** Path of a job's folder, relative to the run's. */
export function jobFolder(jobId: string): string {
  return `jobs/${jobId}`;
}
