import { canonicalJson, type Json } from '../../domain/canonical-json.ts';
import type { CopiedTable } from './copied-tables.ts';

/** Texts and JSON are strings, integers bigints: not every one fits into a number. */
export type CopiedValue = string | bigint | number | boolean | Uint8Array | null;

/** Values in the order of the table's columns. */
export type CopiedRow = readonly CopiedValue[];

/** The values of a row's key, by which the rows after it are found. */
export type RowKey = readonly (string | bigint)[];

export function keyOf(table: CopiedTable, row: CopiedRow): RowKey {
  return table.key.map((column) => {
    const value = cellOf(table, row, column);
    if (typeof value === 'string' || typeof value === 'bigint') return value;
    throw new Error(`Expected ${table.name}.${column} to be a text or an integer`);
  });
}

export function cellOf(table: CopiedTable, row: CopiedRow, column: string): CopiedValue {
  const value = row[Object.keys(table.columns).indexOf(column)];
  if (value === undefined) throw new Error(`${table.name} has no column ${column}`);
  return value;
}

/** JSON that came of a row's column, `null` where there is none. */
export function jsonOf(value: CopiedValue): Json {
  return typeof value === 'string' ? JSON.parse(value) : null;
}

/** A field of a JSON object, where it is a text. */
export function textField(value: Json, name: string): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) return null;
  const field: unknown = Reflect.get(value, name);
  return typeof field === 'string' ? field : null;
}

/** A text as every kind of store can hold it: PostgreSQL's texts hold no NUL. */
export function storableText(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
}

/** A backslash, which takes the next character with it, a NUL, or half of a pair of surrogates: the halves are always escaped. */
const ESCAPES = /\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g;

/** The one spelling of JSON of which only the meaning counts, in texts that every kind of store can hold. */
export function storableJson(text: string): string {
  const parsed: Json = JSON.parse(text);
  const storable = JSON.stringify(parsed).replace(ESCAPES, (found) => (found === '\\\\' ? found : '\uFFFD'));
  return canonicalJson(JSON.parse(storable));
}
