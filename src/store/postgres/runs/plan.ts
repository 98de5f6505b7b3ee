import { orderMs } from '../../../domain/step.ts';
import { batchesOf } from '../../batches.ts';
import { type Beginning, beginningOf } from '../../new-job.ts';
import type { NewJob, RunDocument } from '../../plan-rows.ts';
import type { RunFacts } from '../../run-facts.ts';
import { NO_LOCKS, runLocks } from '../locks.ts';
import { insertSteps, type PlacedStep, type Prospect, prospectsOf } from '../steps/insert-steps.ts';
import type { Transactor, Tx } from '../transactor.ts';
import { hintAtFirstWork } from '../work-hint.ts';
import { addContents } from './extractions.ts';
import { runFacts } from './run-facts.ts';

const INSERT_DOCUMENTS = `
INSERT INTO documents (run_id, document_id, path, bytes_sha256, tags, size_bytes, text_sha256, structure_sha256, error_reason, error_message)
SELECT :runId, document_id, path, bytes_sha256, tags, size_bytes, text_sha256, structure_sha256, error_reason, error_message
FROM unnest(:documentIds::text[], :paths::text[], :bytesHashes::text[], :tags::json[], :sizes::bigint[], :textHashes::text[],
  :structureHashes::text[], :reasons::text[], :messages::text[])
  WITH ORDINALITY AS d (document_id, path, bytes_sha256, tags, size_bytes, text_sha256, structure_sha256, error_reason, error_message, place)
ORDER BY place
ON CONFLICT (run_id, document_id) DO NOTHING`;

/** Characters of texts that one transaction stores, if no text alone has more. */
const CHARACTERS_PER_TRANSACTION = 2_000_000;
const DOCUMENTS_PER_TRANSACTION = 200;

/** Documents of a run, in their order. One that is there already is left alone. */
export async function addDocuments(transactor: Transactor, runId: string, documents: readonly RunDocument[]): Promise<void> {
  for (const batch of documentBatches(documents)) await transactor.write(NO_LOCKS, (tx) => addBatch(tx, runId, batch));
}

function* documentBatches(documents: readonly RunDocument[]): Generator<readonly RunDocument[]> {
  let batch: RunDocument[] = [];
  let characters = 0;
  for (const document of documents) {
    const more = document.content.ok ? (document.content.text?.text.length ?? 0) : 0;
    if (batch.length === DOCUMENTS_PER_TRANSACTION || (batch.length > 0 && characters + more > CHARACTERS_PER_TRANSACTION)) {
      yield batch;
      [batch, characters] = [[], 0];
    }
    batch.push(document);
    characters += more;
  }
  if (batch.length > 0) yield batch;
}

async function addBatch(tx: Tx, runId: string, documents: readonly RunDocument[]): Promise<void> {
  const contents = documents.flatMap(({ content }) => (content.ok ? [content] : []));
  const structures = await addContents(tx, contents);
  const structureOf = new Map(contents.map((content, at) => [content, structures[at] ?? null]));
  tx.sql.send(INSERT_DOCUMENTS, {
    runId,
    documentIds: documents.map(({ documentId }) => documentId),
    paths: documents.map(({ path }) => path),
    bytesHashes: documents.map(({ bytesSha256 }) => bytesSha256),
    tags: documents.map(({ tags }) => JSON.stringify(tags)),
    sizes: documents.map(({ sizeBytes }) => sizeBytes),
    textHashes: documents.map(({ content }) => (content.ok ? content.textSha256 : null)),
    structureHashes: documents.map(({ content }) => (content.ok ? (structureOf.get(content) ?? null) : null)),
    reasons: documents.map(({ content }) => (content.ok ? null : content.reason)),
    messages: documents.map(({ content }) => (content.ok ? null : content.message)),
  });
}

const INSERT_JOBS = `
WITH given AS MATERIALIZED (
  SELECT * FROM unnest(:jobIds::text[], :seqs::int[], :documentIds::text[], :textHashes::text[], :tasks::text[], :models::text[], :repeats::int[],
    :states::text[], :reasons::text[], :messages::text[], :laters::json[])
    WITH ORDINALITY AS g (job_id, seq, document_id, text_sha256, task, model, repeat, state, reason, message, later, place)),
added AS (
  INSERT INTO jobs (run_id, job_id, seq, document_id, text_sha256, task, model, repeat, state, verdict, error_reason, error_message, ended_at_ms)
  SELECT :runId, job_id, seq, document_id, text_sha256, task, model, repeat, state, CASE WHEN reason IS NOT NULL THEN 'error' END, reason, message,
    CASE WHEN state <> 'queued' THEN :nowMs::bigint END
  FROM given ORDER BY place ON CONFLICT (run_id, job_id) DO NOTHING RETURNING job_id),
planned AS (
  INSERT INTO job_plans (run_id, job_id, later) SELECT :runId, a.job_id, g.later FROM added a JOIN given g USING (job_id) WHERE g.later IS NOT NULL)
SELECT job_id FROM added`;

/** Inserts jobs with their steps. A job that is there already keeps its steps as they are. */
export async function addJobs(transactor: Transactor, runId: string, jobs: readonly NewJob[]): Promise<void> {
  for (const batch of batchesOf(jobs)) {
    await transactor.write(runLocks(runId), async (tx) => addJobBatch(tx, await runFacts(tx.sql, runId), batch));
  }
}

async function addJobBatch(tx: Tx, run: RunFacts, jobs: readonly NewJob[]): Promise<void> {
  const questions = jobs.flatMap(({ steps }) => steps.map(({ key, kind }) => ({ key, kind, freshAfterMs: null })));
  const prospects = (await prospectsOf(tx, run, questions)).values();
  const begun = jobs.map((job) => {
    const own = job.steps.map(() => prospects.next().value).filter((prospect) => prospect !== undefined);
    const bad = own.map((prospect) => prospect.bad);
    return { job, prospects: own, beginning: beginningOf(run, job, bad) };
  });
  hintAtFirstWork(tx, run.runId);
  const added = new Set(await insertJobs(tx, run, begun));
  insertSteps(
    tx,
    run,
    begun.filter(({ job }) => added.has(job.jobId)).flatMap((each) => placed(tx, each)),
  );
}

type Begun = { readonly job: NewJob; readonly prospects: readonly Prospect[]; readonly beginning: Beginning };

async function insertJobs(tx: Tx, { runId }: RunFacts, begun: readonly Begun[]): Promise<readonly string[]> {
  const column = <Value>(of: (job: NewJob, beginning: Beginning) => Value): readonly Value[] =>
    begun.map(({ job, beginning }) => of(job, beginning));
  const rows = await tx.sql.all<{ jobId: string }>(INSERT_JOBS, {
    runId,
    nowMs: tx.nowMs,
    jobIds: column(({ jobId }) => jobId),
    seqs: column(({ seq }) => seq),
    documentIds: column(({ documentId }) => documentId),
    textHashes: column(({ textSha256 }) => textSha256),
    tasks: column(({ task }) => task),
    models: column(({ model }) => model),
    repeats: column(({ repeat }) => repeat),
    states: column((_, { state }) => state),
    reasons: column((_, { error }) => error?.reason ?? null),
    messages: column((_, { error }) => error?.message ?? null),
    laters: column(({ later }) => (later.length === 0 ? null : JSON.stringify(later))),
  });
  return rows.map(({ jobId }) => jobId);
}

function placed({ nowMs }: Tx, { job, prospects, beginning }: Begun): readonly PlacedStep[] {
  const place = { jobId: job.jobId, orderMs: orderMs(nowMs, job.priority), seq: job.seq, freshAfterMs: null };
  return job.steps.flatMap((step, at) => {
    const [state, prospect] = [beginning.steps[at], prospects[at]];
    return state === undefined || prospect === undefined ? [] : [{ ...place, ...step, state, prospect }];
  });
}
