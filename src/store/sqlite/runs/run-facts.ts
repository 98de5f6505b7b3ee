import type { RunFacts } from '../../run-facts.ts';
import { runGone } from '../../run-gone.ts';
import { fromJson, type Sql } from '../sql.ts';

type Row = Omit<RunFacts, 'settings'> & { readonly settings: string };

const SELECT_RUN = `
SELECT run_id AS runId, state, settings, fresh_after_ms AS freshAfterMs FROM runs WHERE run_id = :runId AND pruned_at_ms IS NULL`;

/** Throws `UserError` when there is no such run: callers have looked it up before, so that it was removed meanwhile. */
export function runFacts(sql: Sql, runId: string): RunFacts {
  const row = sql.one<Row>(SELECT_RUN, { runId });
  if (row === undefined) throw runGone(runId);
  return { ...row, settings: fromJson(row.settings) };
}
