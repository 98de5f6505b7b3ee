import type { Json } from '../domain/canonical-json.ts';

/**
 * Whether a text stands in a value: in a string, in the JSON of a number, boolean or `null`, or in any of these inside an array or
 * object (names of properties do not count). Unicode is compared in NFC; `ignoreCase` by lower case, without a locale.
 */
export function holdsText(value: Json, text: string, ignoreCase: boolean): boolean {
  const needle = normal(text, ignoreCase);
  return textsIn(value).some((item) => normal(item, ignoreCase).includes(needle));
}

function textsIn(value: Json): string[] {
  const texts: string[] = [];
  const open: Json[] = [value];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (typeof item === 'string') texts.push(item);
    else if (item === null || typeof item !== 'object') texts.push(String(item));
    else for (const child of Object.values(item)) open.push(child);
  }
  return texts;
}

function normal(text: string, ignoreCase: boolean): string {
  const composed = text.normalize('NFC');
  return ignoreCase ? composed.toLowerCase() : composed;
}
