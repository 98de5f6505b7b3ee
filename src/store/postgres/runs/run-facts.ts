import type { RunFacts } from '../../run-facts.ts';
import { runGone } from '../../run-gone.ts';
import type { Sql } from '../sql.ts';
import type { StoredTexts } from '../stored-statement.ts';

const SELECT_RUN = `SELECT run_id, state, settings, fresh_after_ms FROM runs WHERE run_id = :runId AND pruned_at_ms IS NULL`;

const SELECT_RUN_OF_LEASE = `
SELECT run_id, state, settings, fresh_after_ms FROM runs
WHERE run_id = (SELECT s.run_id FROM steps s WHERE s.lease_token = :token AND s.state = 'running') AND pruned_at_ms IS NULL`;

/** The run of a running step; `undefined` when the lease was lost. */
export function runOfLease(sql: Sql, token: string): Promise<RunFacts | undefined> {
  return sql.one<RunFacts>(SELECT_RUN_OF_LEASE, { token });
}

export function findRun(sql: Sql, runId: string): Promise<RunFacts | undefined> {
  return sql.one<RunFacts>(SELECT_RUN, { runId });
}

/** Throws `UserError` when there is no such run: callers have looked it up before, so that it was removed meanwhile. */
export async function runFacts(sql: Sql, runId: string): Promise<RunFacts> {
  const row = await findRun(sql, runId);
  if (row === undefined) throw runGone(runId);
  return row;
}

export const RUN_FACTS_STATEMENTS: StoredTexts = { rows: { SELECT_RUN, SELECT_RUN_OF_LEASE } };
