import type { Json } from '../domain/canonical-json.ts';

/**
 * Whether a text stands in a value: in a string, in the JSON of a number, boolean or `null`, or in any of these inside an array or
 * object (names of properties do not count). Unicode is compared in NFC, without what cannot be seen, all spaces being one;
 * `ignoreCase` by lower case, without a locale.
 */
export function holdsText(value: Json, text: string, ignoreCase: boolean): boolean {
  const needle = normal(text, ignoreCase);
  // A text of nothing visible would be in every other one: it is looked for as it is.
  if (needle === '') return textsIn(value).some((item) => item.includes(text));
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

/** Zero-width characters, soft hyphens, variation selectors, marks of direction, control characters other than white space. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}]|(?!\s)\p{Cc}/gu;

function normal(text: string, ignoreCase: boolean): string {
  const composed = text
    .replace(UNSEEN, '')
    .replace(/\p{Zs}/gu, ' ')
    .normalize('NFC');
  return ignoreCase ? composed.toLowerCase() : composed;
}
