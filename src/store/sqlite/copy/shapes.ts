import type { CopiedTable } from '../../copy/copied-tables.ts';

/** How a copied table is read where it is not a table of the same columns. */
type Shape = { readonly from?: string; readonly columns?: { readonly [column: string]: string } };

/** A row without a number of its own stands where its rowid does. */
const BY_ROWID: Shape = { columns: { position: 'rowid' } };

const SHAPES: { readonly [table: string]: Shape } = {
  runs: BY_ROWID,
  calls: BY_ROWID,
  responses: BY_ROWID,
  texts: { columns: { text: 'CAST(texts.text AS BLOB)' } },
  steps: { from: 'steps LEFT JOIN step_inputs ON step_inputs.step_id = steps.step_id', columns: { input: 'step_inputs.input' } },
};

/** What selects the table's columns, in their order. */
export function selected(table: CopiedTable): readonly string[] {
  return Object.keys(table.columns).map((column) => SHAPES[table.name]?.columns?.[column] ?? `${table.name}.${column}`);
}

export function fromOf({ name }: CopiedTable): string {
  return SHAPES[name]?.from ?? name;
}

/** The place of a row as it is inserted. */
export function insertedColumn({ name }: CopiedTable, column: string): string {
  return column === 'position' && SHAPES[name] === BY_ROWID ? 'rowid' : column;
}
