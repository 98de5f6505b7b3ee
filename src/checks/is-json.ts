import type { Json } from '../domain/canonical-json.ts';

/** Whether a value can be written as JSON, judged by its outermost layer: for values that came out of `JSON.parse`. */
export function isJson(value: unknown): value is Json {
  return value === null || ['boolean', 'number', 'string', 'object'].includes(typeof value);
}
