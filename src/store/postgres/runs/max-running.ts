import type { Sql } from '../sql.ts';
import type { Tx } from '../transactor.ts';
import { hintAtWork } from '../work-hint.ts';

const SELECT_VALUE = `SELECT value FROM settings WHERE name = 'maxRunning'`;

/** Steps that may run at once over all runs and processes; `null`: no bound. */
export async function maxRunning(sql: Sql): Promise<number | null> {
  return (await sql.one<{ value: number }>(SELECT_VALUE))?.value ?? null;
}

const SET = `
INSERT INTO settings (name, value) VALUES ('maxRunning', :value)
ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
const UNSET = `DELETE FROM settings WHERE name = 'maxRunning'`;

export function setMaxRunning(tx: Tx, value: number | null): void {
  if (value === null) tx.sql.send(UNSET);
  else tx.sql.send(SET, { value });
  hintAtWork(tx);
}
