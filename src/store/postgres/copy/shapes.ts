import { type CopiedRow, type CopiedValue, cellOf, jsonOf, textField } from '../../copy/copied-row.ts';
import type { ColumnKind, CopiedTable } from '../../copy/copied-tables.ts';

const TYPES: { readonly [kind in ColumnKind]: string } = {
  text: 'text',
  integer: 'bigint',
  number: 'double precision',
  boolean: 'boolean',
  json: 'json',
  value: 'jsonb',
  bytes: 'bytea',
  order: 'bigint',
  origin: 'text',
};

export function typeOf(kind: ColumnKind): string {
  return TYPES[kind];
}

/** Tables of ours beside the one of the name: what is long stands there, in rows that are there only where it is. */
type Part = { readonly table: string; readonly key: readonly string[]; readonly columns: readonly string[] };

const PARTS: { readonly [table: string]: readonly Part[] } = {
  jobs: [
    { table: 'job_plans', key: ['run_id', 'job_id'], columns: ['later'] },
    { table: 'job_results', key: ['run_id', 'job_id'], columns: ['result'] },
  ],
  steps: [{ table: 'step_inputs', key: ['step_id'], columns: ['input', 'reask'] }],
};

/** What a column of ours holds besides what is copied: it follows from that. */
type Derived = { readonly [column: string]: (table: CopiedTable, row: CopiedRow) => string | null };

const fieldOf =
  (column: string, name: string) =>
  (table: CopiedTable, row: CopiedRow): string | null =>
    textField(jsonOf(cellOf(table, row, column)), name);

const DERIVED: { readonly [table: string]: Derived } = {
  jobs: { result_verdict: fieldOf('result', 'verdict') },
  step_inputs: { input_kind: fieldOf('input', 'kind') },
  key_records: {
    endpoint: fieldOf('record', 'endpoint'),
    model: fieldOf('record', 'model'),
    namespace: fieldOf('record', 'namespace'),
    prompt_sha256: fieldOf('record', 'promptSha256'),
  },
};

/** What selects the table's columns, in their order. Integers are told as texts: not every one fits into a number. */
export function selected(table: CopiedTable): readonly string[] {
  return Object.entries(table.columns).map(([column, kind]) => {
    const name = `${tableOf(table, column)}.${column}`;
    return ['integer', 'order', 'json', 'value'].includes(kind) ? `${name}::text` : name;
  });
}

export function fromOf({ name }: CopiedTable): string {
  const joins = (PARTS[name] ?? []).map(({ table, key }) => {
    const same = key.map((column) => `${table}.${column} = ${name}.${column}`);
    return ` LEFT JOIN ${table} ON ${same.join(' AND ')}`;
  });
  return `${name}${joins.join('')}`;
}

function tableOf({ name }: CopiedTable, column: string): string {
  return PARTS[name]?.find(({ columns }) => columns.includes(column))?.table ?? name;
}

/** Rows for one table of ours. `types` and `columns` are of the same columns. */
export type Insert = {
  readonly table: string;
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly columns: readonly (readonly CopiedValue[])[];
};

/** What a page of a copied table adds to tables of ours, those first to which the others refer. */
export function insertsOf(table: CopiedTable, rows: readonly CopiedRow[]): readonly Insert[] {
  const parts = PARTS[table.name] ?? [];
  const apart = parts.flatMap(({ columns }) => columns);
  const own = Object.keys(table.columns).filter((column) => !apart.includes(column));
  const ofParts = parts.map(({ table: name, key, columns }) => {
    const there = rows.filter((row) => columns.some((column) => cellOf(table, row, column) !== null));
    return insert(table, there, { name, columns: [...key, ...columns] });
  });
  return [insert(table, rows, { name: table.name, columns: own }), ...ofParts];
}

type Into = { readonly name: string; readonly columns: readonly string[] };

function insert(table: CopiedTable, rows: readonly CopiedRow[], { name, columns }: Into): Insert {
  const derived = Object.entries(DERIVED[name] ?? {});
  return {
    table: name,
    names: [...columns, ...derived.map(([column]) => column)],
    types: [...columns.map((column) => TYPES[table.columns[column] ?? 'text']), ...derived.map(() => TYPES.text)],
    columns: [
      ...columns.map((column) => rows.map((row) => cellOf(table, row, column) ?? (table.columns[column] === 'origin' ? '' : null))),
      ...derived.map(([, of]) => rows.map((row) => of(table, row))),
    ],
  };
}
