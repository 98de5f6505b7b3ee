import { canonicalJson, type Json } from '../domain/canonical-json.ts';

const LONGEST_LINE = 200;
const LONGEST_VALUE = 60;
/** Where a value came from is shown, not the value, when it holds more than this. */
const LARGEST_VALUE = 2_000;

/** The text on one line: control characters and runs of white space become one space, the end is cut at `limit` characters. */
export function oneLine(text: string, limit = LONGEST_LINE): string {
  const line = text
    .slice(0, limit * 4)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : line;
}

/** A value as JSON for a message, at most 60 characters: `"high"`, `12`; long arrays and objects by their size. */
export function showValue(value: Json): string {
  if (typeof value === 'string') return oneLine(JSON.stringify(value.slice(0, LONGEST_VALUE * 2)), LONGEST_VALUE);
  if (value === null || typeof value !== 'object') return String(value);
  if (isSmall(value)) return oneLine(canonicalJson(value), LONGEST_VALUE);
  return isArray(value) ? `an array of ${value.length}` : `an object of ${Object.keys(value).length}`;
}

/** The value itself when it is short, else as `showValue` shows it: scores are kept with every result. */
export function keptValue(value: Json): Json {
  if (typeof value === 'string') return value.length <= LONGEST_LINE ? value : oneLine(value);
  return isSmall(value) && canonicalJson(value).length <= LARGEST_VALUE ? value : showValue(value);
}

/** Where in the answer: its pointer, or "the answer" for the whole. */
export function showPlace(pointer: string): string {
  return pointer === '' ? 'the answer' : oneLine(pointer, LONGEST_LINE / 2);
}

/** `1 item`, `3 items`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `Array.isArray` that narrows read-only JSON arrays. */
export function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isSmall(value: Json): boolean {
  if (value === null || typeof value !== 'object') return true;
  const items = isArray(value) ? value : Object.values(value);
  return items.length <= 20 && items.every((item) => typeof item !== 'string' || item.length <= LONGEST_LINE);
}
