import type { StepInput } from '../../../domain/part.ts';
import { fromJson } from '../sql.ts';
import type { Tx } from '../transactor.ts';

const ADD = `INSERT INTO step_inputs (step_id, input) VALUES (last_insert_rowid(), :input)`;

/** What the step that was inserted just now asks; nothing is stored for the whole document. */
export function addInput(tx: Tx, input: StepInput | null): void {
  if (input !== null) tx.sql.runOne(ADD, { input: JSON.stringify(input) });
}

const COPY = `INSERT INTO step_inputs (step_id, input) SELECT last_insert_rowid(), input FROM step_inputs WHERE step_id = :stepId`;

/** The step that was inserted just now asks what `stepId` asked. */
export function copyInput(tx: Tx, stepId: number): void {
  tx.sql.run(COPY, { stepId });
}

const SELECT = `SELECT input FROM step_inputs WHERE step_id = :stepId`;

/** `null`: the whole document. */
export function inputOf(tx: Tx, stepId: number): StepInput | null {
  const row = tx.sql.one<{ input: string }>(SELECT, { stepId });
  return row === undefined ? null : fromJson<StepInput>(row.input);
}
