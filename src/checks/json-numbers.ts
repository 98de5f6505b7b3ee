import { visit } from 'jsonc-parser';

/** A token of JSON text: a number or string as it is written. */
type Literal = { readonly isNumber: boolean; readonly text: string };

/** Every number and string of well-formed JSON, in order, keys included. */
function literalsOf(json: string): Literal[] {
  const literals: Literal[] = [];
  const keep = (offset: number, length: number): void => {
    const text = json.slice(offset, offset + length);
    if (/^["\d-]/.test(text)) literals.push({ isNumber: !text.startsWith('"'), text });
  };
  visit(json, {
    onObjectProperty: (_, offset, length) => keep(offset, length),
    onLiteralValue: (_, offset, length) => keep(offset, length),
  });
  return literals;
}

/**
 * The first number of well-formed JSON that is another one once it is read: `1e999` becomes infinite, `1e-999` becomes 0. `null`
 * when there is none.
 */
export function unreadableNumber(json: string): string | null {
  return literalsOf(json).find(({ isNumber, text }) => isNumber && !survivesReading(text))?.text ?? null;
}

function survivesReading(text: string): boolean {
  const value = Number(text);
  return Number.isFinite(value) && (value !== 0 || /^-?[0.]+(?:e|$)/i.test(text));
}

const NUMBER_BEFORE = /[\p{L}\p{N}_.+\-\u2212]$/u;
const NUMBER_AFTER = /^[\s,}\]"'{[/]/;
/** What a mender makes of `00123`, `5%`, `NaN`: a string where there was a number. */
const LIKE_NUMBER = /^[-+]?(?:[\d.]|NaN$|Infinity$)/;
const QUOTATION_MARK = /["'`\u2018-\u201f]$/;
/** How far a string is looked for: one whose spelling was mended is not found at all. */
const REACH = 65_536;

/**
 * Whether every number of the mended JSON stands in the text that was mended, whole, as it is written, and in the same order: a mender
 * that makes `-0` of `-` or `1e0` of `1e` invents a number. A number at the very end of the text may have been cut there.
 */
export function keepsNumbers(text: string, mended: string): boolean {
  let cursor = 0;
  for (const { isNumber, text: literal } of literalsOf(mended)) {
    const wanted = isNumber ? literal : literal.slice(1, -1);
    const at = isNumber ? wholeNumber(text, wanted, cursor) : stringAt(text, wanted, cursor);
    if (at === -1 && isNumber) return false;
    if (at > 0 && !isNumber && LIKE_NUMBER.test(wanted) && !QUOTATION_MARK.test(text.charAt(at - 1))) return false;
    if (at !== -1) cursor = at + wanted.length;
  }
  return true;
}

function stringAt(text: string, wanted: string, from: number): number {
  const at = text.slice(from, from + wanted.length + REACH).indexOf(wanted);
  return at === -1 ? -1 : from + at;
}

/** Offset of the number from `from` on, where it is no part of another one; -1 when it is not there. */
function wholeNumber(text: string, number: string, from: number): number {
  for (let at = text.indexOf(number, from); at !== -1; at = text.indexOf(number, at + 1)) {
    const end = at + number.length;
    if (!NUMBER_BEFORE.test(text.slice(Math.max(0, at - 2), at)) && NUMBER_AFTER.test(text.slice(end, end + 2))) return at;
  }
  return -1;
}
