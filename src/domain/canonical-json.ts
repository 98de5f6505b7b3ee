import { hash } from 'node:crypto';

/** A value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * The one spelling of a JSON value: no white space, object keys sorted by UTF-16 code units, numbers and strings as ECMAScript
 * writes them (RFC 8785). Keys whose value is `undefined` are left out.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

/**
 * Spells an object as `canonicalJson` does, for each value that one of its fields takes; all others are spelled once. No field is called
 * like a number.
 */
export function canonicalWith(others: { readonly [key: string]: unknown }, field: string): (value: Json) => string {
  const [before, after] = [true, false].map((isBefore) => {
    const own = Object.entries(others).filter(([key, value]) => value !== undefined && key !== field && key < field === isBefore);
    return canonicalJson(Object.fromEntries(own)).slice(1, -1);
  });
  const head = `{${before}${before === '' ? '' : ','}${JSON.stringify(field)}:`;
  const tail = `${after === '' ? '' : ','}${after}}`;
  return (value) => `${head}${canonicalJson(value)}${tail}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

/** Lower-case hexadecimal SHA-256 of bytes, or of a string's UTF-8. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}
