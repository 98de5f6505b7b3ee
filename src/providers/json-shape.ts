/** An object that JSON can hold; arrays are not records. */
export type JsonRecord = { readonly [key: string]: unknown };

/** True for a plain object as `JSON.parse` makes it. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The record at `key`; an empty one when there is none, so that a chain of look-ups never throws. */
export function recordAt(value: unknown, key: string): JsonRecord {
  const found = isRecord(value) ? value[key] : undefined;
  return isRecord(found) ? found : {};
}

/** The string at `key`; `null` when there is none, or it is empty. */
export function textAt(value: unknown, key: string): string | null {
  const found = isRecord(value) ? value[key] : undefined;
  return typeof found === 'string' && found !== '' ? found : null;
}

/** The array at `key`; an empty one when there is none. */
export function listAt(value: unknown, key: string): readonly unknown[] {
  const found = isRecord(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
}

/** The value of a JSON text; `undefined`, which JSON cannot hold, when the text is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The JSON text of a value; `undefined` when it nests too deep to be written. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
