import { formSlice, gapBefore, isWordGap, type Side } from '../match/aligned.ts';
import { CHARACTER, classAt } from '../match/characters.ts';
import { NEGATORS } from '../negators.ts';
import { isCaseSensitive, isMixedCase, isNegator, isUnitSymbol, MODALS } from '../words.ts';

const SHORTEST_WORD = 4;
/** Names that are other words in small letters: not lowered in the middle of a sentence. */
const NAMES: ReadonlySet<string> = new Set(
  'Polish March August Turkey China Java Rust Ruby Swift Apple Windows Oracle Nice Mobile Reading Internet'.split(' '),
);
/** A heading is recognised by this many words in capitals. */
const HEADING_WORDS = 3;

/**
 * Whether the quote differs from the document only in a change of case that changes nothing: its first letter raised or lowered,
 * another ordinary word of four letters or more with its first letter changed, or a heading in capitals on one side. Never a
 * modal, a unit, an identifier; a negation only as the first word ("No", "no").
 */
export function isHarmlessCaseChange(document: Side, quote: Side, length: number): boolean {
  const words = wordsOf(quote, length);
  const isTheirs = isAllCapitals(document, length);
  const isHeading = words.length >= HEADING_WORDS && (isTheirs || isAllCapitals(quote, length));
  return words.every(([start, end], index) => {
    const theirs = formSlice(document, start, end);
    const ours = formSlice(quote, start, end);
    if (theirs === ours) return true;
    if (isHeading) return isHarmlessInHeading(theirs, ours, isTheirs) && !followsDigit(document, start);
    return isHarmlessChange(theirs, ours, index === 0) && !followsDigit(document, start);
  });
}

/** In a heading of the document's own, "WITHOUT" is no louder than the rest; "NOT" always is a keyword. */
function isHarmlessInHeading(theirs: string, ours: string, isTheirs: boolean): boolean {
  const lower = ours.toLowerCase();
  const isKeyword = MODALS.has(lower) || (NEGATORS.has(lower) && (!isTheirs || lower.endsWith('not')));
  if (isKeyword || /[\p{N}_]/u.test(ours)) return false;
  return ![theirs, ours].some((word) => isMixedCase(word) || isUnitSymbol(word));
}

function isHarmlessChange(theirs: string, ours: string, isFirst: boolean): boolean {
  if (theirs.slice(1) !== ours.slice(1)) return false;
  if (isFirst && isNegator(theirs) && /^\p{L}\p{Ll}+$/u.test(theirs)) return true;
  if (!isFirst && (NAMES.has(theirs) || NAMES.has(ours))) return false;
  if (isCaseSensitive(theirs) || isCaseSensitive(ours)) return false;
  return ours.length >= SHORTEST_WORD || (isFirst && (ours.length > 1 || ours.toLowerCase() === 'a'));
}

/** A letter after a digit, on the same line, may be a unit. */
function followsDigit(side: Side, k: number): boolean {
  return classAt(side.form.text, side.from + k - 1) === CHARACTER.digit && !gapBefore(side, k).includes('\n');
}

function isAllCapitals(side: Side, length: number): boolean {
  return !/\p{Ll}/u.test(formSlice(side, 0, length));
}

/** `[start, end)` of the words of a match: units between white space and punctuation. */
function wordsOf(side: Side, length: number): [number, number][] {
  const words: [number, number][] = [];
  let start = -1;
  for (let k = 0; k <= length; k += 1) {
    const ends = k === length || !isWordUnit(side, k) || (k > 0 && isWordGap(gapBefore(side, k)));
    if (ends && start >= 0) {
      words.push([start, k]);
      start = -1;
    }
    if (start < 0 && k < length && isWordUnit(side, k)) start = k;
  }
  return words;
}

function isWordUnit(side: Side, k: number): boolean {
  const kind = classAt(side.form.text, side.from + k);
  return kind === CHARACTER.letter || kind === CHARACTER.digit || side.form.text[side.from + k] === '_';
}
