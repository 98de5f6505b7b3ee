import type { Database } from 'better-sqlite3';
import type { NewRun } from '../../src/store/plan-rows.ts';
import type { Store } from '../../src/store/store.ts';
import { document, job, newRun, result, step } from '../store/rows.ts';

/** A run of many jobs, made by the store for the first document and multiplied by SQL for the others. */
export type BigRun = {
  readonly runId: string;
  readonly jobs: number;
  /** Jobs of one result. */
  readonly repeats?: number;
  /** The key of job `n`, as SQL; each job has its own by default. */
  readonly key?: string;
  readonly run?: Partial<NewRun>;
};

// The template is job 0. Rows are what the store's own plan writes, with other names.
const NUMBERS = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :last)`;
const documents = (repeats: number) => `
${NUMBERS}
INSERT INTO documents (run_id, document_id, path, bytes_sha256, tags, size_bytes, text_sha256, structure_sha256)
SELECT run_id, 'd' || n, path, bytes_sha256, tags, size_bytes, text_sha256, structure_sha256
FROM numbers CROSS JOIN documents WHERE run_id = :runId AND document_id = 'd0' AND n <= :last / ${repeats}`;
const jobs = (repeats: number) => `
${NUMBERS}
INSERT INTO jobs (run_id, job_id, seq, document_id, text_sha256, task, model, repeat, state)
SELECT run_id, 'j' || n, n, 'd' || (n / ${repeats}), text_sha256, task, model, n % ${repeats}, state
FROM numbers CROSS JOIN jobs WHERE run_id = :runId AND job_id = 'j0'`;
const keyRecords = (key: string) => `
${NUMBERS}
INSERT INTO key_records (key, record) SELECT DISTINCT ${key}, record FROM numbers CROSS JOIN key_records WHERE key_records.key = :first
ON CONFLICT DO NOTHING`;
const steps = (key: string) => `
${NUMBERS}
INSERT INTO steps (run_id, job_id, kind, step_index, key, flight_key, lane_id, input_tokens, max_input_tokens, prefix, state, gate, order_ms, seq,
  run_at_ms)
SELECT run_id, 'j' || n, kind, step_index, ${key}, ${key}, lane_id, input_tokens, max_input_tokens, prefix, state, gate, order_ms, n,
  run_at_ms
FROM numbers CROSS JOIN steps WHERE run_id = :runId AND job_id = 'j0'`;

/** Plans the run. Every constraint and counter holds, as the foreign keys and the totals are asked to show. */
export async function planBigRun(store: Store, db: Database, { runId, jobs: count, repeats = 1, run, ...rest }: BigRun): Promise<void> {
  const key = rest.key ?? `'${runId}-key-' || n`;
  const first = db.prepare<[], { key: string }>(`SELECT ${key} AS key FROM (SELECT 0 AS n)`).get()?.key ?? '';
  await store.openRun(newRun(runId, { aggregates: { task: { repeats, aggregate: 'majority' } }, ...run }));
  await store.addDocuments(runId, [{ ...document('a.md'), documentId: 'd0' }]);
  await store.addJobs(runId, [job('j0', 0, { documentId: 'd0', steps: [step(first)] })]);
  multiply(db, { runId, repeats, key, first, last: count - 1 });
  await store.markPlanned(runId);
  await check(store, db, runId, count);
}

function multiply(
  db: Database,
  { repeats, key, ...values }: { runId: string; repeats: number; key: string; first: string; last: number },
): void {
  db.pragma('synchronous = OFF');
  db.pragma('foreign_keys = OFF');
  const all = db.transaction(() => {
    for (const statement of [documents(repeats), jobs(repeats), keyRecords(key), steps(key)]) db.prepare(statement).run(values);
  });
  all.immediate();
  db.pragma('wal_checkpoint(TRUNCATE)');
}

async function check(store: Store, db: Database, runId: string, count: number): Promise<void> {
  const broken = db.prepare('PRAGMA foreign_key_check').all();
  if (broken.length > 0) throw new Error(`The big run breaks ${broken.length} references`);
  const { jobs } = await store.runTotals(runId);
  if (jobs.total !== count || jobs.queued !== count) throw new Error(`Expected ${count} queued jobs, got ${JSON.stringify(jobs)}`);
}

const SUCCEED = [
  `UPDATE steps SET state = 'succeeded', outcome = 'cached', gate = NULL WHERE run_id = :runId AND seq % 100 < 30`,
  `UPDATE jobs SET state = 'succeeded', verdict = iif(seq % 5 = 0, 'fail', 'pass'), result = :result, cached = 1, ended_at_ms = :nowMs
   WHERE run_id = :runId AND seq % 100 < 30`,
];
const FAIL = [
  `UPDATE steps SET state = 'failed', outcome = 'failed', gate = NULL WHERE run_id = :runId AND seq % 100 BETWEEN 30 AND 35`,
  `UPDATE jobs SET state = 'failed', verdict = 'error', error_reason = iif(seq % 2, 'timeout', 'refused'), error_message = 'it failed',
   ended_at_ms = :nowMs WHERE run_id = :runId AND seq % 100 BETWEEN 30 AND 35`,
];
const CANCEL = [
  `UPDATE steps SET state = 'cancelled', gate = NULL WHERE run_id = :runId AND seq % 100 BETWEEN 36 AND 37`,
  `UPDATE jobs SET state = 'cancelled', ended_at_ms = :nowMs WHERE run_id = :runId AND seq % 100 BETWEEN 36 AND 37`,
];
const PARK = [
  `UPDATE steps SET parked = 1, run_at_ms = :nowMs + 3600000 WHERE run_id = :runId AND seq % 100 BETWEEN 38 AND 47`,
  `INSERT INTO attempts (run_id, job_id, step_id, number, outcome, reason, counted, final, started_at_ms, ended_at_ms)
   SELECT run_id, job_id, step_id, 1, 'failed', 'server_error', 1, 0, :nowMs, :nowMs FROM steps
   WHERE run_id = :runId AND seq % 100 BETWEEN 30 AND 47`,
];

/** Brings a planned run to the middle of its work: of 100 jobs 30 succeeded, 6 failed, 2 were cancelled and 10 wait for a retry. */
export function mixStates(db: Database, runId: string, nowMs: number): void {
  const values = { runId, nowMs, result: JSON.stringify(result('')) };
  const all = db.transaction(() => {
    for (const statement of [...SUCCEED, ...FAIL, ...CANCEL, ...PARK]) db.prepare(statement).run(values);
  });
  all.immediate();
  db.pragma('wal_checkpoint(TRUNCATE)');
}
