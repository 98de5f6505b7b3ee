/** First and last code point of a row of characters. */
export type Range = readonly [first: number, last: number];

/** Version of the rules of this file and of `assemble`: part of every extractor's name, because it changes what keys hash. */
export const NORMALISER = 'norm:1';

/** Bidirectional marks, tag characters, fillers and operators without a look: able to carry text that a reader does not see. */
const HIDDEN: readonly Range[] = [
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x180e, 0x180e],
  [0x200e, 0x200f],
  [0x202a, 0x202e],
  [0x2061, 0x2064],
  [0x2066, 0x206f],
  [0x3164, 0x3164],
  [0xffa0, 0xffa0],
  [0xe0000, 0xe007f],
];

/** C0 without tab and line feed, DEL and C1, zero-width space, word joiner, byte-order mark, annotation anchors. */
const WITHOUT_MEANING: readonly Range[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0x200b, 0x200b],
  [0x2060, 0x2060],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
];

/** All of Zs but the plain space and U+202F, the thin space inside numbers. */
const SPACES: readonly Range[] = [
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
];

const LIGATURES: ReadonlyMap<string, string> = new Map([
  ['\ufb00', 'ff'],
  ['\ufb01', 'fi'],
  ['\ufb02', 'fl'],
  ['\ufb03', 'ffi'],
  ['\ufb04', 'ffl'],
  ['\ufb05', 'st'],
  ['\ufb06', 'st'],
]);

// Fixed tables instead of \p{…}: property escapes change with the Unicode version of the engine, and with them every hash.
const HIDDEN_PATTERN = patternOf(HIDDEN);
const DELETED_PATTERN = patternOf([...HIDDEN, ...WITHOUT_MEANING]);
const SPACE_PATTERN = patternOf(SPACES);
const LIGATURE_PATTERN = patternOf([[0xfb00, 0xfb06]]);
/** Nothing to do: most lines. */
const PLAIN_PATTERN = /^[\t\n\x20-\x7e]*$/;
const LONE_SURROGATE_PATTERN = patternOf([[0xd800, 0xdfff]]);
/** One selects a form of the character before it; more in a row can only hide something. */
const FURTHER_SELECTORS = /(?<=[\ufe00-\ufe0f\u{e0100}-\u{e01ef}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]+/gu;
/** No script stacks so many, and the time that NFC takes grows with the square of their number. */
const ENDLESS_MARKS = /(?<=\p{M}{64})\p{M}+/gu;

/**
 * The text with every character in its canonical form: NFC (never NFKC: it makes 25 of 2⁵), Latin ligatures spelled out,
 * invisible characters deleted, spaces made plain, lone surrogates replaced by U+FFFD. Idempotent. Line breaks are the caller's.
 */
export function normaliseCharacters(text: string): string {
  if (PLAIN_PATTERN.test(text)) return text;
  return (
    withoutEndlessRuns(text.replace(DELETED_PATTERN, ''))
      .normalize('NFC')
      .replace(LIGATURE_PATTERN, (ligature) => LIGATURES.get(ligature) ?? ligature)
      .replace(SPACE_PATTERN, ' ')
      .replace(LONE_SURROGATE_PATTERN, '\ufffd')
      // Again: the last letter of a ligature may have met its accent only now.
      .normalize('NFC')
  );
}

function withoutEndlessRuns(text: string): string {
  return text.replace(FURTHER_SELECTORS, '').replace(ENDLESS_MARKS, '');
}

/** How many characters that could have carried hidden text `normaliseCharacters` deletes. */
export function countHiddenCharacters(text: string): number {
  if (PLAIN_PATTERN.test(text)) return 0;
  const kept = text.replace(DELETED_PATTERN, '');
  return (text.match(HIDDEN_PATTERN)?.length ?? 0) + kept.length - withoutEndlessRuns(kept).length;
}

/** The text without blanks and tabs at its end. A loop, because `/[ \t]+$/` is quadratic in long runs inside a line. */
export function trimTrailingBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1;
  return text.slice(0, end);
}

/** A pattern for all occurrences of the characters of these ranges. */
export function patternOf(ranges: readonly Range[]): RegExp {
  const escaped = (codePoint: number) => `\\u{${codePoint.toString(16)}}`;
  return new RegExp(`[${ranges.map(([first, last]) => `${escaped(first)}-${escaped(last)}`).join('')}]`, 'gu');
}
