import type { Sql } from './sql.ts';
import type { Tx } from './transactor.ts';

/** One for all stores of a database: what is told on it is the schema. */
export const HINT_CHANNEL = 'aieval';

const HINT = `SELECT pg_notify('${HINT_CHANNEL}', current_schema())`;

/**
 * With its commit the change tells idle workers that there is something to claim. One for whatever a person or a plan brought, and none
 * for what workers do: a step that they put back has its time, and a slot that one of them frees it takes again itself.
 */
export function hintAtWork({ sql }: Pick<Tx, 'sql'>): void {
  sql.send(HINT);
}

const HINT_FIRST = `${HINT} WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE run_id = :runId AND ended_at_ms IS NULL)`;

/** The same, before jobs are added, unless the run has open ones: then somebody works on it, or could. */
export function hintAtFirstWork({ sql }: { readonly sql: Sql }, runId: string): void {
  sql.send(HINT_FIRST, { runId });
}
