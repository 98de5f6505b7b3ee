/** What the match form does with a character. Values of `CLASS_OF`. */
export const CHARACTER = {
  other: 0,
  letter: 1,
  digit: 2,
  space: 3,
  /** Invisible: dropped. */
  ignored: 4,
  /** May join the halves of one word. */
  hyphen: 5,
  /** Long dashes: always kept, as `-`. */
  dash: 6,
  singleQuote: 7,
  doubleQuote: 8,
  /** Stands for the characters of `EXPANSIONS`. */
  expanded: 9,
} as const;

export const SOFT_HYPHEN = 0xad;
export const NARROW_NO_BREAK_SPACE = 0x202f;

/** Characters that the match form spells differently. Ligatures are here for quotes; canonical text has none. */
export const EXPANSIONS: ReadonlyMap<number, string> = new Map([
  [0x2026, '...'],
  [0xb5, '\u03bc'],
  [0xfb00, 'ff'],
  [0xfb01, 'fi'],
  [0xfb02, 'fl'],
  [0xfb03, 'ffi'],
  [0xfb04, 'ffl'],
  [0xfb05, 'st'],
  [0xfb06, 'st'],
]);

const HYPHENS = '-\u2010\u2011\u2012\u2013\u2212\u00ad\ufe63\uff0d';
/** Signs and dashes, not hyphens: without them a range or a minus is lost. */
export const RANGE_OR_MINUS = /[\u2012\u2013\u2212]/;
/** Source of a character class of the hyphens, for regular expressions. */
export const HYPHEN_CLASS = `[${HYPHENS.replace('-', '\\-')}]`;
const DASHES = '\u2014\u2015\u2e3a\u2e3b\ufe58';
const SINGLE_QUOTES = "'`\u00b4\u2018\u2019\u201a\u201b\u2039\u203a\u2032\u2035\u02bc\uff07";
/** Source of a character class of what stands for an apostrophe, for regular expressions. */
export const APOSTROPHE_CLASS = `[${SINGLE_QUOTES}]`;
const DOUBLE_QUOTES = '"\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u2036\uff02\u301d\u301e';
const IGNORED = /\p{Cc}|\p{Cf}|\p{Variation_Selector}|\u034f|\ufffe/u;

const NEXT_LINE = 0x85;
const BYTE_ORDER_MARK = 0xfeff;
const SURROGATES = { first: 0xd800, last: 0xdfff };

/** Class of every UTF-16 unit. Surrogates count as letters: they are always kept, both halves. */
export const CLASS_OF: Uint8Array = classTable();

function classTable(): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (let unit = 0; unit < table.length; unit += 1) table[unit] = classOf(unit);
  for (const code of EXPANSIONS.keys()) table[code] = CHARACTER.expanded;
  mark(table, HYPHENS, CHARACTER.hyphen);
  mark(table, DASHES, CHARACTER.dash);
  mark(table, SINGLE_QUOTES, CHARACTER.singleQuote);
  mark(table, DOUBLE_QUOTES, CHARACTER.doubleQuote);
  return table;
}

function mark(table: Uint8Array, characters: string, value: number): void {
  for (let i = 0; i < characters.length; i += 1) table[characters.charCodeAt(i)] = value;
}

function classOf(unit: number): number {
  if (unit >= SURROGATES.first && unit <= SURROGATES.last) return CHARACTER.letter;
  const character = String.fromCharCode(unit);
  if (unit !== BYTE_ORDER_MARK && (/\s/u.test(character) || unit === NEXT_LINE)) return CHARACTER.space;
  if (IGNORED.test(character)) return CHARACTER.ignored;
  if (/[\p{L}\p{M}]/u.test(character)) return CHARACTER.letter;
  return /\p{N}/u.test(character) ? CHARACTER.digit : CHARACTER.other;
}

/** Class of the unit of `text` at `index`; `other` outside the text. */
export function classAt(text: string, index: number): number {
  return index >= 0 && index < text.length ? (CLASS_OF[text.charCodeAt(index)] ?? CHARACTER.other) : CHARACTER.other;
}

/** Whether white space stands at `index`, or the text does not reach there. */
export function isBlank(text: string, index: number): boolean {
  return index < 0 || index >= text.length || classAt(text, index) === CHARACTER.space;
}
