/** What a character outside ASCII costs, measured by the script it belongs to. */
export type ScriptTokens = {
  /** In o200k, in running text, the blanks between words included. */
  readonly usual: number;
  /** How much more cl100k may take, and with it other tokenizers that know few scripts. */
  readonly more: number;
};

/** The last character code of each range and its two figures. Blocks that no vocabulary knows come apart into their bytes. */
const RANGES: readonly (readonly [last: number, usual: number, more: number])[] = [
  [0x024f, 0.45, 1.2], // Latin with marks
  [0x036f, 1.5, 0.7], // phonetic signs, combining marks
  [0x03ff, 0.42, 0.9], // Greek
  [0x052f, 0.33, 0.8], // Cyrillic
  [0x058f, 0.35, 2], // Armenian
  [0x05ff, 0.47, 1], // Hebrew
  [0x06ff, 0.42, 1], // Arabic
  [0x08ff, 2.1, 0.4],
  [0x097f, 0.4, 1.2], // Devanagari
  [0x09ff, 0.38, 1.3], // Bengali
  [0x0a7f, 0.65, 1.6], // Gurmukhi
  [0x0aff, 0.42, 1.7], // Gujarati
  [0x0b7f, 1.15, 2], // Oriya
  [0x0bff, 0.4, 1.4], // Tamil
  [0x0c7f, 0.46, 1.7], // Telugu
  [0x0cff, 0.4, 1.8], // Kannada
  [0x0d7f, 0.46, 1.6], // Malayalam
  [0x0dff, 0.7, 1.7], // Sinhala
  [0x0e7f, 0.4, 0.9], // Thai
  [0x0eff, 1.85, 0.5], // Lao
  [0x0fff, 1.5, 0.8], // Tibetan
  [0x109f, 0.55, 1.9], // Burmese
  [0x10ff, 0.36, 2.1], // Georgian
  [0x11ff, 3, 0.4], // Hangul in pieces
  [0x139f, 2.2, 0.9], // Ethiopic
  [0x177f, 3, 0.4],
  [0x17ff, 0.75, 1.3], // Khmer
  [0x1dff, 3, 0.4],
  [0x1eff, 0.5, 2], // Latin with two marks
  [0x1fff, 1.9, 1.5], // Greek with accents
  [0x206f, 0.8, 1], // dashes, quotation marks
  [0x23ff, 1.9, 1], // letterlike signs, arrows, mathematics
  [0x24ff, 2, 1.2],
  [0x259f, 0.8, 0.5], // lines of boxes
  [0x27bf, 1.7, 0.9],
  [0x2e7f, 2.9, 0.4],
  [0x303f, 0.8, 0.7],
  [0x30ff, 0.87, 0.7], // kana
  [0x33ff, 2, 1.3],
  [0x4dbf, 2.6, 0.5],
  [0x9fff, 0.85, 0.8], // ideograms
  [0xabff, 3, 0.4],
  [0xd7ff, 0.8, 0.8], // Hangul
  [0xdfff, 1.7, 0.6], // halves of what stands beyond the basic plane
  [0xf8ff, 2.6, 0.9], // private use
  [0xfeff, 1.8, 1],
  [0xffff, 0.9, 1],
];

/** Of the character `code`, which is not ASCII. */
export function scriptTokens(code: number): ScriptTokens {
  return BY_PAGE[code >> BITS_OF_PAGE] ?? OTHER;
}

const OTHER: ScriptTokens = { usual: 3, more: 0.4 };
/** Ranges end at multiples of 16. */
const BITS_OF_PAGE = 4;

const BY_PAGE: readonly ScriptTokens[] = RANGES.flatMap(([last, usual, more], index) => {
  const first = (RANGES[index - 1]?.[0] ?? -1) + 1;
  return Array.from({ length: (last + 1 - first) >> BITS_OF_PAGE }, () => ({ usual, more }));
});
