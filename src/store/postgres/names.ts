import { jobLabel } from '../../domain/job.ts';
import type { StoredName, WantedNames } from '../names.ts';
import { openClient } from './connect.ts';
import { postgresPlace, quoted } from './connection.ts';
import { Sql } from './sql.ts';

/** Whoever presses a key does not wait longer. */
const PATIENCE_MS = 1000;

/** The names of a store that other processes may be writing; see `readNames`. */
export async function postgresNames(location: string, wanted: WantedNames): Promise<readonly StoredName[]> {
  const place = postgresPlace(location);
  const client = await openClient(place, { connectionTimeoutMillis: PATIENCE_MS, query_timeout: PATIENCE_MS });
  try {
    await client.query(`BEGIN READ ONLY; SET LOCAL search_path TO ${quoted(place.schema)}; SET LOCAL statement_timeout = ${PATIENCE_MS}`);
    return await namesOf(new Sql(client), wanted);
  } finally {
    await client.end();
  }
}

async function namesOf(sql: Sql, wanted: WantedNames): Promise<readonly StoredName[]> {
  if (wanted.kind === 'runs') return sql.all<StoredName>(RUNS, wanted);
  const runId = (await sql.one<{ runId: string }>(RUN_ID, wanted))?.runId;
  if (runId === undefined) return [];
  if (wanted.kind === 'jobs') return jobNames(sql, runId, wanted);
  return sql.all<StoredName>(OF_RUN[wanted.kind], { ...wanted, runId });
}

const RUNS = `
SELECT run_id AS value, name || ', ' || state AS about FROM runs
WHERE starts_with(run_id, :beginning)
ORDER BY created_at_ms DESC, position DESC LIMIT :most`;

const RUN_ID = `
SELECT run_id FROM runs WHERE :run::text = 'latest' OR starts_with(run_id, :run)
ORDER BY created_at_ms DESC, position DESC LIMIT 1`;

const OF_RUN = {
  documents: `
SELECT document_id AS value, '' AS about FROM documents
WHERE run_id = :runId AND starts_with(document_id, :beginning)
ORDER BY position LIMIT :most`,
  tasks: `
SELECT task AS value, '' AS about FROM jobs
WHERE run_id = :runId AND starts_with(task, :beginning)
GROUP BY task ORDER BY min(seq) LIMIT :most`,
  models: `
SELECT model AS value, '' AS about FROM jobs
WHERE run_id = :runId AND starts_with(model, :beginning)
GROUP BY model ORDER BY min(seq) LIMIT :most`,
};

const JOBS = `
SELECT document_id, task, model, repeat, coalesce(verdict, state) AS about FROM jobs
WHERE run_id = :runId AND starts_with(document_id || ':' || task || ':' || model || '#' || (repeat + 1), :beginning)
ORDER BY seq LIMIT :most`;

const REPEATED_TASKS = `SELECT task FROM jobs WHERE run_id = :runId AND repeat > 0 GROUP BY task`;

type JobName = {
  readonly documentId: string;
  readonly task: string;
  readonly model: string;
  readonly repeat: number;
  readonly about: string;
};

async function jobNames(sql: Sql, runId: string, wanted: WantedNames): Promise<readonly StoredName[]> {
  const repeated = new Set((await sql.all<{ task: string }>(REPEATED_TASKS, { runId })).map(({ task }) => task));
  const rows = await sql.all<JobName>(JOBS, { ...wanted, runId });
  return rows.map((row) => ({ value: jobLabel(row, repeated.has(row.task) ? 2 : 1), about: row.about }));
}
