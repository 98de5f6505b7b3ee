import { existsSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { isBusy } from '../../../src/store/sqlite/sqlite-errors.ts';

/** What the processes work on, read from outside. Statements are of the SQL that all stores understand. */
export interface Rows {
  all<Row>(text: string): Promise<Row[]>;
  /** What must never be seen, at any moment, in one snapshot of the rows. */
  broken(): Promise<readonly string[]>;
  /** False while somebody keeps everybody else from writing. */
  lockIsFree(): boolean;
  close(): Promise<void>;
}

/** Where the runs of the processes are kept. */
export type Base = {
  readonly env: Readonly<Record<string, string>>;
  /** `null` while there is nothing yet. */
  readonly open: () => Promise<Rows | null>;
};

/** A file in the project's folder. */
export function fileBase(folder: string): Base {
  const path = join(folder, '.aieval', 'aieval.db');
  return { env: {}, open: async () => (existsSync(path) ? new FileRows(path) : null) };
}

class FileRows implements Rows {
  readonly #db: Database;
  /** For one question only: whether somebody holds the write lock. */
  readonly #prober: Database;

  constructor(path: string) {
    this.#db = new BetterSqlite3(path, { readonly: true, timeout: 30_000 });
    this.#prober = new BetterSqlite3(path, { timeout: 0 });
  }

  async all<Row>(text: string): Promise<Row[]> {
    return this.#db.prepare<[], Row>(text).all();
  }

  async broken(): Promise<readonly string[]> {
    return (await this.all<{ broken: string }>(BROKEN_NOW)).map(({ broken }) => broken);
  }

  lockIsFree(): boolean {
    try {
      this.#prober.exec('BEGIN IMMEDIATE');
      return true;
    } catch (error) {
      if (!isBusy(error)) throw error;
      return false;
    } finally {
      if (this.#prober.inTransaction) this.#prober.exec('ROLLBACK');
    }
  }

  async close(): Promise<void> {
    this.#db.close();
    this.#prober.close();
  }
}

const BROKEN_NOW = `
SELECT 'two flights of one key' AS broken FROM steps WHERE state = 'running' AND key IS NOT NULL GROUP BY flight_key HAVING count(*) > 1
UNION ALL SELECT 'one key running twice in a run' FROM steps WHERE state = 'running' AND key IS NOT NULL
  GROUP BY run_id, key HAVING count(*) > 1
UNION ALL SELECT 'an open call without a running lease' FROM calls c
  WHERE c.state IN ('reserved', 'sent') AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.lease_token = c.call_token AND s.state = 'running')
UNION ALL SELECT 'an open job whose state is not that of its steps' FROM jobs j
  WHERE j.state IN ('queued', 'running') AND (j.state = 'running') <> EXISTS (
    SELECT 1 FROM steps s WHERE s.run_id = j.run_id AND s.job_id = j.job_id AND s.state = 'running')
UNION ALL SELECT 'an open job without an open step' FROM jobs j
  WHERE j.state IN ('queued', 'running') AND NOT EXISTS (
    SELECT 1 FROM steps s WHERE s.run_id = j.run_id AND s.job_id = j.job_id AND s.state IN ('queued', 'running', 'waiting'))
UNION ALL SELECT 'a queued step of an ended job' FROM steps s JOIN jobs j USING (run_id, job_id)
  WHERE s.state IN ('queued', 'waiting') AND j.state IN ('succeeded', 'failed', 'cancelled')
UNION ALL SELECT 'a finished run with an open job' FROM runs r JOIN jobs j USING (run_id)
  WHERE r.state = 'finished' AND j.state IN ('queued', 'running')
UNION ALL SELECT 'two unfinished runs of one identity' FROM runs
  WHERE holds_identity = 1 AND state IN ('planning', 'open', 'paused') GROUP BY identity HAVING count(*) > 1
UNION ALL SELECT 'a cached answer that was never found valid' FROM cache c JOIN responses r USING (call_token) WHERE r.judgement <> 'valid'
UNION ALL SELECT 'a worker with two suspects' FROM steps s JOIN keys k ON k.run_id = s.run_id AND k.key = s.failure_key
  WHERE s.state = 'running' AND k.suspect = 1 GROUP BY s.lease_owner HAVING count(*) > 1
UNION ALL SELECT 'totals that are not the sums of the rows' FROM (
  SELECT run_id, task, model, total, queued, running, succeeded, failed, cancelled, pass, fail, review, cached FROM run_totals
  EXCEPT
  SELECT run_id, task, model, count(*), sum(state = 'queued'), sum(state = 'running'), sum(state = 'succeeded'), sum(state = 'failed'),
    sum(state = 'cancelled'), sum(verdict IS 'pass'), sum(verdict IS 'fail'), sum(verdict IS 'review'), sum(cached)
  FROM jobs GROUP BY run_id, task, model)
UNION ALL SELECT 'totals that are not the sums of the calls' FROM (
  SELECT run_id, calls, uncertain_calls, spent_nano_usd, input_tokens, output_tokens FROM (
    SELECT run_id, sum(calls) AS calls, sum(uncertain_calls) AS uncertain_calls, sum(spent_nano_usd) AS spent_nano_usd,
      sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens FROM run_totals GROUP BY run_id)
  WHERE calls > 0
  EXCEPT
  SELECT run_id, sum(state IN ('sent', 'settled', 'unknown')), sum(state = 'unknown'), sum(iif(state = 'settled', coalesce(cost_nano_usd, 0), 0)),
    sum(coalesce(uncached_input + cache_read + cache_write, 0)), sum(coalesce(output, 0))
  FROM calls GROUP BY run_id)
UNION ALL SELECT 'totals that are not the sums of the attempts' FROM (
  SELECT run_id, attempts FROM (SELECT run_id, sum(attempts) AS attempts FROM run_totals GROUP BY run_id) WHERE attempts > 0
  EXCEPT SELECT run_id, sum(counted) FROM attempts GROUP BY run_id)`;
