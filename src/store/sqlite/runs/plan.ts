import { sha256Hex } from '../../../domain/canonical-json.ts';
import type { CanonicalText } from '../../../domain/document.ts';
import { orderMs } from '../../../domain/step.ts';
import type { NewJob, NewStep, RunDocument } from '../../plan-rows.ts';
import { type KnownBad, keyFacts, knownBad } from '../steps/failures.ts';
import { findHit, findUnjudged } from '../steps/hits.ts';
import type { Transactor, Tx } from '../transactor.ts';
import { fliesAlone, flightKeyOf, type RunFacts, runFacts } from './run-facts.ts';

const INSERT_TEXT = `INSERT INTO texts (text_sha256, text) VALUES (:textSha256, :text) ON CONFLICT DO NOTHING`;

const INSERT_STRUCTURE = `INSERT INTO structures (structure_sha256, structure) VALUES (:structureSha256, :structure) ON CONFLICT DO NOTHING`;

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
    structureSha256: content.ok && content.text !== undefined ? addText(tx, content.text) : null,
    reason: content.ok ? null : content.reason,
    message: content.ok ? null : content.message,
  });
}

/**
 * Text and structure, each once per hash, apart: a PDF and a Markdown file may hold the same text and have other pages and lines.
 * Returns the structure's hash.
 */
function addText(tx: Tx, { text, textSha256, ...rest }: CanonicalText): string {
  const structure = JSON.stringify(rest);
  const structureSha256 = sha256Hex(structure);
  tx.sql.run(INSERT_TEXT, { textSha256, text });
  tx.sql.run(INSERT_STRUCTURE, { structureSha256, structure });
  return structureSha256;
}

const INSERT_JOB = `
INSERT INTO jobs (run_id, job_id, seq, document_id, text_sha256, task, model, repeat, state, verdict, error_reason, error_message, ended_at_ms)
VALUES (:runId, :jobId, :seq, :documentId, :textSha256, :task, :model, :repeat, :state, :verdict, :reason, :message, :endedAtMs)
ON CONFLICT (run_id, job_id) DO NOTHING`;

/** Rows that one transaction inserts at most: a longer one would hold the write lock against everyone's claims. */
const ROWS_PER_TRANSACTION = 250;

/** Inserts jobs with their steps. A job that is there already keeps its steps as they are. */
export async function addJobs(transactor: Transactor, runId: string, jobs: readonly NewJob[]): Promise<void> {
  for (let start = 0; start < jobs.length; start += ROWS_PER_TRANSACTION) {
    const chunk = jobs.slice(start, start + ROWS_PER_TRANSACTION);
    await transactor.write((tx) => {
      const run = runFacts(tx.sql, runId);
      for (const job of chunk) addJob(tx, run, job);
    });
  }
}

function addJob(tx: Tx, run: RunFacts, job: NewJob): void {
  const bad = job.steps.map((step) => badAnswer(tx, run, step));
  const failure = job.failure ?? bad.find((known) => known !== null) ?? null;
  const state = failure !== null ? 'failed' : run.state === 'cancelled' ? 'cancelled' : 'queued';
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
    verdict: failure === null ? null : 'error',
    reason: failure?.reason ?? null,
    message: failure?.message ?? null,
    endedAtMs: state === 'queued' ? null : tx.nowMs,
  });
  if (changes === 0) return;
  if (job.textSha256 === null && job.steps.length > 0) throw new Error(`Job ${job.jobId} has steps but no text`);
  for (const [i, step] of job.steps.entries()) {
    addStep(tx, run, { job, step, state: state === 'queued' ? 'queued' : bad[i] ? 'failed' : 'cancelled' });
  }
}

/** What a run has learnt of the key, or an earlier run of its answer; `null` when it may be asked. */
function badAnswer(tx: Tx, run: RunFacts, step: NewStep): KnownBad | null {
  const here = keyFacts(tx.sql, run.runId, step.key);
  if (here.failed === 1 && here.reason !== null) return { reason: here.reason, message: here.message ?? '' };
  if (fliesAlone(run.settings.cacheMode) || findHit(tx, run, { ...step, freshAfterMs: null }) !== null) return null;
  const known = knownBad(tx.sql, step.key);
  if (known === null) return null;
  return { reason: known.reason, message: `${known.message} (known from an earlier run, not asked again; "aieval retry" asks again)` };
}

const INSERT_KEY_RECORD = `INSERT INTO key_records (key, record) VALUES (:key, :record) ON CONFLICT DO NOTHING`;

const INSERT_STEP = `
INSERT INTO steps (run_id, job_id, kind, step_index, key, flight_key, lane_id, input_tokens, max_input_tokens, prefix, state, gate, order_ms, seq, run_at_ms,
  parked, outcome)
VALUES (:runId, :jobId, :kind, :index, :key, :flightKey, :laneId, :inputTokens, :maxInputTokens, :prefix, :state, :gate, :orderMs, :seq, :runAtMs,
  :parked, :outcome)`;

type Planned = { readonly job: NewJob; readonly step: NewStep; readonly state: 'queued' | 'failed' | 'cancelled' };

function addStep(tx: Tx, run: RunFacts, { job, step, state }: Planned): void {
  const { key, laneId, kind, index } = step;
  tx.sql.run(INSERT_KEY_RECORD, { key, record: JSON.stringify(step.keyRecord) });
  const question = { key, kind, freshAfterMs: null };
  const free = findHit(tx, run, question) !== null || findUnjudged(tx, run, question) !== null;
  const runAtMs = Math.max(tx.nowMs, keyFacts(tx.sql, run.runId, key).notBeforeMs);
  tx.sql.run(INSERT_STEP, {
    runId: run.runId,
    jobId: job.jobId,
    kind,
    index,
    key,
    flightKey: flightKeyOf(run, key),
    laneId,
    inputTokens: step.inputTokens,
    maxInputTokens: step.maxInputTokens,
    prefix: step.prefix,
    state,
    gate: state !== 'queued' || free ? null : laneId,
    orderMs: orderMs(tx.nowMs, job.priority),
    seq: job.seq,
    runAtMs,
    parked: Number(state === 'queued' && !free && runAtMs > tx.nowMs),
    outcome: state === 'failed' ? 'known_bad' : null,
  });
}
