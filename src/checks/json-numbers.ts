import { visit } from 'jsonc-parser';

/** A token of JSON text as it is written: a number, a string, or `true`, `false` and `null`. */
type Literal = { readonly kind: 'number' | 'string' | 'word'; readonly text: string };

/** Every literal of well-formed JSON, in order, keys included. */
function literalsOf(json: string): Literal[] {
  const literals: Literal[] = [];
  const keep = (offset: number, length: number): void => {
    const text = json.slice(offset, offset + length);
    literals.push({ kind: text.startsWith('"') ? 'string' : /^[\d-]/.test(text) ? 'number' : 'word', text });
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
  return literalsOf(json).find(({ kind, text }) => kind === 'number' && !survivesReading(text))?.text ?? null;
}

function survivesReading(text: string): boolean {
  const value = Number(text);
  return Number.isFinite(value) && (value !== 0 || /^-?[0.]+(?:e|$)/i.test(text));
}

const VALUE_AFTER = /[\s,}\]"'{[/]/;
/** What a mender makes of `00123`, `5%`, `NaN`: a string where there was a number. */
const LIKE_NUMBER = /^[-+]?(?:[\d.]|NaN$|Infinity$)/;
/** What may stand between two literals: the signs of JSON, white space, comments. Never a literal, and no sign of a number. */
const BETWEEN = /(?:[\s,:;[\]{}]|\/\/[^\n]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/)*/y;
const QUOTATION_MARK = /\\?["'`\u00b4\u2018-\u201f]/y;
const PYTHON: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };
/** How far a string is looked for whose spelling, or that of one before it, was mended. */
const REACH = 65_536;

/**
 * Whether every number, `true`, `false` and `null` of the mended JSON stands in the text that was mended: whole, as it is written, and
 * right behind the literal before it, thus never inside a string. A mender that makes `-0` of `-`, `1e0` of `1e` or `null` of
 * `undefined` invents a value. A number at the very end of the text may have been cut there.
 */
export function keepsValues(text: string, mended: string): boolean {
  let cursor = 0;
  for (const { kind, text: literal } of literalsOf(mended)) {
    const at = skip(BETWEEN, text, cursor);
    if (kind !== 'string') {
      const end = valueEnd(text, at, literal, kind === 'number');
      if (end === -1) return false;
      cursor = end;
      continue;
    }
    const wanted = literal.slice(1, -1);
    const found = stringAt(text, at, wanted) ?? stringAhead(text, at, wanted);
    if (found === null) continue;
    if (LIKE_NUMBER.test(wanted) && !found.isQuoted) return false;
    cursor = found.end;
  }
  return true;
}

function skip(pattern: RegExp, text: string, from: number): number {
  const sticky = new RegExp(pattern);
  sticky.lastIndex = from;
  const match = sticky.exec(text);
  return match === null ? from : from + match[0].length;
}

/** Where the number or word that begins at `at` ends; -1 when another one is there. */
function valueEnd(text: string, at: number, literal: string, isNumber: boolean): number {
  const written = [literal, PYTHON[literal] ?? literal].find((spelling) => text.startsWith(spelling, at));
  if (written === undefined) return -1;
  const end = at + written.length;
  const isWhole = end < text.length ? VALUE_AFTER.test(text.charAt(end)) : !isNumber;
  return isWhole ? end : -1;
}

type Found = { readonly end: number; readonly isQuoted: boolean };

/** The string right at `at`, whatever its quotation marks and escapes; `null` when another one is there. */
function stringAt(text: string, at: number, wanted: string): Found | null {
  const start = skip(QUOTATION_MARK, text, at);
  let end = start;
  for (const [unit] of wanted.matchAll(/\\u[\da-f]{4}|\\.|[\s\S]/gi)) {
    const spelling = [unit, meaningOf(unit), `\\${unit}`].find((candidate) => text.startsWith(candidate, end));
    if (spelling === undefined) return null;
    end += spelling.length;
  }
  return { end: skip(QUOTATION_MARK, text, end), isQuoted: start > at };
}

function meaningOf(unit: string): string {
  if (!unit.startsWith('\\')) return unit;
  const meaning: unknown = JSON.parse(`"${unit}"`);
  return typeof meaning === 'string' ? meaning : unit;
}

/** The next place of a string whose surroundings were mended. */
function stringAhead(text: string, from: number, wanted: string): Found | null {
  const at = text.slice(from, from + wanted.length + REACH).indexOf(wanted);
  if (at === -1) return null;
  const start = from + at;
  const end = start + wanted.length;
  return { end: skip(QUOTATION_MARK, text, end), isQuoted: start > 0 && skip(QUOTATION_MARK, text, start - 1) === start };
}
