import type { RunFacts } from '../../run-facts.ts';
import { runGone } from '../../run-gone.ts';
import type { Sql } from '../sql.ts';

const SELECT_RUN = `SELECT run_id, state, settings, fresh_after_ms FROM runs WHERE run_id = :runId AND pruned_at_ms IS NULL`;

/** Throws `UserError` when there is no such run: callers have looked it up before, so that it was removed meanwhile. */
export async function runFacts(sql: Sql, runId: string): Promise<RunFacts> {
  const row = await sql.one<RunFacts>(SELECT_RUN, { runId });
  if (row === undefined) throw runGone(runId);
  return row;
}
