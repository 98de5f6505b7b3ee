import BetterSqlite3, { type Database } from 'better-sqlite3';
import { jobLabel } from '../../domain/job.ts';
import type { StoredName, WantedNames } from '../names.ts';

/** The names of a database that other processes may be writing; see `readNames`. */
export function sqliteNames(path: string, wanted: WantedNames): readonly StoredName[] {
  const db = new BetterSqlite3(path, { readonly: true, fileMustExist: true, timeout: 0 });
  try {
    if (wanted.kind === 'runs') return db.prepare<WantedNames, StoredName>(RUNS).all(wanted);
    const runId = db.prepare<WantedNames, string>(RUN_ID).pluck().get(wanted);
    if (runId === undefined) return [];
    if (wanted.kind === 'jobs') return jobNames(db, runId, wanted);
    return db.prepare<object, StoredName>(OF_RUN[wanted.kind]).all({ ...wanted, runId });
  } finally {
    db.close();
  }
}

const RUNS = `
SELECT run_id AS value, name || ', ' || state AS about FROM runs
WHERE substr(run_id, 1, length(:beginning)) = :beginning
ORDER BY created_at_ms DESC, rowid DESC LIMIT :most`;

const RUN_ID = `
SELECT run_id FROM runs WHERE :run = 'latest' OR substr(run_id, 1, length(:run)) = :run
ORDER BY created_at_ms DESC, rowid DESC LIMIT 1`;

const OF_RUN = {
  documents: `
SELECT document_id AS value, '' AS about FROM documents
WHERE run_id = :runId AND substr(document_id, 1, length(:beginning)) = :beginning
ORDER BY rowid LIMIT :most`,
  tasks: `
SELECT task AS value, '' AS about FROM jobs
WHERE run_id = :runId AND substr(task, 1, length(:beginning)) = :beginning
GROUP BY task ORDER BY min(seq) LIMIT :most`,
  models: `
SELECT model AS value, '' AS about FROM jobs
WHERE run_id = :runId AND substr(model, 1, length(:beginning)) = :beginning
GROUP BY model ORDER BY min(seq) LIMIT :most`,
};

const JOBS = `
SELECT document_id AS documentId, task, model, repeat, coalesce(verdict, state) AS about FROM jobs
WHERE run_id = :runId AND substr(document_id || ':' || task || ':' || model || '#' || (repeat + 1), 1, length(:beginning)) = :beginning
ORDER BY seq LIMIT :most`;

const REPEATED_TASKS = `SELECT task FROM jobs WHERE run_id = ? AND repeat > 0 GROUP BY task`;

type JobName = {
  readonly documentId: string;
  readonly task: string;
  readonly model: string;
  readonly repeat: number;
  readonly about: string;
};

function jobNames(db: Database, runId: string, wanted: WantedNames): readonly StoredName[] {
  const repeated = new Set(db.prepare<[string], string>(REPEATED_TASKS).pluck().all(runId));
  const rows = db.prepare<object, JobName>(JOBS).all({ ...wanted, runId });
  return rows.map((row) => ({ value: jobLabel(row, repeated.has(row.task) ? 2 : 1), about: row.about }));
}
