import { orderMs } from '../../../domain/step.ts';
import { neededBy } from '../../../domain/tags.ts';
import { batchesOf } from '../../batches.ts';
import { beginningOf } from '../../new-job.ts';
import type { NewJob, RunDocument } from '../../plan-rows.ts';
import type { RunFacts } from '../../run-facts.ts';
import { badAnswerTo, insertStep } from '../steps/insert-step.ts';
import type { Transactor, Tx } from '../transactor.ts';
import { addExtraction, addText } from './extractions.ts';
import { runFacts } from './run-facts.ts';

const INSERT_DOCUMENT = `
INSERT INTO documents (run_id, document_id, path, bytes_sha256, tags, size_bytes, text_sha256, structure_sha256, error_reason, error_message)
VALUES (:runId, :documentId, :path, :bytesSha256, :tags, :sizeBytes, :textSha256, :structureSha256, :reason, :message)
ON CONFLICT (run_id, document_id) DO NOTHING`;

/** Documents of a run, each in a transaction of its own: one text can be megabytes. A document that is there already is left alone. */
export async function addDocuments(transactor: Transactor, runId: string, documents: readonly RunDocument[]): Promise<void> {
  await Promise.all(documents.map((document) => transactor.write((tx) => addDocument(tx, runId, document))));
}

function addDocument(tx: Tx, runId: string, document: RunDocument): void {
  const { content, documentId, path, bytesSha256, sizeBytes } = document;
  tx.sql.run(INSERT_DOCUMENT, {
    runId,
    documentId,
    path,
    bytesSha256,
    sizeBytes,
    tags: JSON.stringify(document.tags),
    textSha256: content.ok ? content.textSha256 : null,
    structureSha256: content.ok ? addContent(tx, content) : null,
    reason: content.ok ? null : content.reason,
    message: content.ok ? null : content.message,
  });
}

/** The hash of the structure; `null` when only the text's hash is known. */
function addContent(tx: Tx, { text, extraction }: Extract<RunDocument['content'], { ok: true }>): string | null {
  if (text === undefined) return null;
  const structureSha256 = addText(tx, text);
  if (extraction !== undefined) addExtraction(tx, extraction, { textSha256: text.textSha256, structureSha256 });
  return structureSha256;
}

const INSERT_JOB = `
INSERT INTO jobs (run_id, job_id, seq, document_id, text_sha256, task, model, repeat, state, verdict, error_reason, error_message, ended_at_ms,
  later)
VALUES (:runId, :jobId, :seq, :documentId, :textSha256, :task, :model, :repeat, :state, :verdict, :reason, :message, :endedAtMs,
  :later)
ON CONFLICT (run_id, job_id) DO NOTHING`;

/** Inserts jobs with their steps. A job that is there already keeps its steps as they are. */
export async function addJobs(transactor: Transactor, runId: string, jobs: readonly NewJob[]): Promise<void> {
  for (const batch of batchesOf(jobs)) {
    await transactor.write((tx) => {
      const run = runFacts(tx.sql, runId);
      for (const job of batch) addJob(tx, run, job);
    });
  }
}

function addJob(tx: Tx, run: RunFacts, job: NewJob): void {
  const { state, error, steps } = beginningOf(
    run,
    job,
    job.steps.map((step) => badAnswerTo(tx, run, step, null)),
  );
  const changes = tx.sql.run(INSERT_JOB, {
    runId: run.runId,
    jobId: job.jobId,
    seq: job.seq,
    documentId: job.documentId,
    textSha256: job.textSha256,
    task: job.task,
    model: job.model,
    repeat: job.repeat,
    state,
    verdict: error === null ? null : 'error',
    reason: error?.reason ?? null,
    message: error?.message ?? null,
    endedAtMs: state === 'queued' ? null : tx.nowMs,
    later: job.later.length === 0 ? null : JSON.stringify(job.later),
  });
  if (changes === 0) return;
  const requires = neededBy(run.settings.requires, job.task);
  const place = { jobId: job.jobId, orderMs: orderMs(tx.nowMs, job.priority), seq: job.seq, freshAfterMs: null, requires };
  for (const [i, step] of job.steps.entries()) insertStep(tx, run, place, { ...step, state: steps[i] ?? state });
}
