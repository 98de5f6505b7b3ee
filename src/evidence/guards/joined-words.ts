import { type Difference, differenceAt, formSlice, type Gap, gapAt, lettersLeft, lettersRight, type Side } from '../match/aligned.ts';
import { CHARACTER, classAt, RANGE_OR_MINUS } from '../match/characters.ts';
import { NEGATORS } from '../negators.ts';
import { isNegator, isProtected, isUnit, MODALS, NEGATING_PREFIXES, SPACELESS_CLASS } from '../words.ts';

const SPACELESS = new RegExp(SPACELESS_CLASS, 'u');
/** "A D" and "AD", "I O" and "IO": names, not layout. */
const LONGEST_NAME = 3;

/** "re-sign" and "resign": compounds that are other words without their hyphen. Lower case. */
const OTHER_WORDS: ReadonlySet<string> = new Set(
  [
    'sign',
    'signed',
    'cover',
    'covered',
    'creation',
    'form',
    'formed',
    'sent',
    'lease',
    'sort',
    'mark',
    'present',
    'solve',
    'serve',
    'treat',
  ]
    .map((word) => `re${word}`)
    .concat(['recount', 'redress', 'repress', 'resound', 'unionised', 'unionized', 'coop']),
);

/**
 * The match form has no white space and no hyphens between letters, so "not able" equals "notable", "may be" equals "maybe" and
 * "A-D" equals "AD". Where the layout of a PDF makes white space (`isOfLayout`), a space more or less in an ordinary word is none. Returns the first such place where the difference may change the meaning, `null` when there is none.
 */
export function joinedDifference(document: Side, quote: Side, length: number, isOfLayout: boolean): Difference | null {
  for (let k = 1; k < length; k += 1) {
    if (changesMeaning(document, quote, k, length, isOfLayout)) return differenceAt(document, quote, k, length);
  }
  return null;
}

function changesMeaning(document: Side, quote: Side, k: number, length: number, isOfLayout: boolean): boolean {
  if (!isBetweenLetters(document, k)) return false;
  const theirs = gapAt(document, k);
  const ours = gapAt(quote, k);
  if (theirs === ours) return false;
  if ((theirs.hyphen === '') !== (ours.hyphen === '')) {
    return theirs.hyphen === '' ? losesHyphen(quote, theirs, k, length) : losesHyphen(document, ours, k, length);
  }
  if (theirs.hyphen !== '' || theirs.isSpace === ours.isSpace) return false;
  const [split, joined] = theirs.isSpace ? [document, quote] : [quote, document];
  return (!isOfLayout && isOtherWord(split, k, length)) || joinsWords(split, joined, k, length);
}

function isBetweenLetters({ form, from }: Side, k: number): boolean {
  return classAt(form.text, from + k - 1) === CHARACTER.letter && classAt(form.text, from + k) === CHARACTER.letter;
}

/** A hyphen on one side only: harmless where it joins or breaks an ordinary word, not where it is a range, a minus or a name's. */
function losesHyphen(hyphened: Side, other: Gap, k: number, length: number): boolean {
  const { hyphen, isLineEnd } = gapAt(hyphened, k);
  const left = formSlice(hyphened, lettersLeft(hyphened, k), k);
  const right = formSlice(hyphened, k, lettersRight(hyphened, k, length));
  if (RANGE_OR_MINUS.test(hyphen) && !(hyphen === '\u2013' && isLineEnd)) return true;
  if (!(isLineEnd && !other.isSpace ? isBrokenWord(left, right) : isPlainCompound(left, right))) return true;
  const isPrefix = left.toLowerCase() === 'non';
  if (other.isSpace) return NEGATING_PREFIXES.has(left.toLowerCase()) || (isProtected(left) && !isPrefix) || isProtected(right);
  return !isLineEnd && ((isNegator(left) && !isPrefix) || OTHER_WORDS.has((left + right).toLowerCase()));
}

/** "non-human", "e-mail", "com-\npile"; not "A-D", "x-y", "VDD-VSS". */
function isPlainCompound(left: string, right: string): boolean {
  const rightLength = Array.from(right).length;
  const isLeftWord = /^\p{L}[^\p{Lu}\p{Lt}]*$/u.test(left);
  return isLeftWord && !/[\p{Lu}\p{Lt}]/u.test(right) && rightLength >= (Array.from(left).length === 1 ? 3 : 2);
}

/** "com-\npile", "Spi-\nderMonkey"; not "VDD-\nVSS", "x-\ny". */
function isBrokenWord(left: string, right: string): boolean {
  return /[^\p{Lu}\p{Lt}]$/u.test(left) && /^[^\p{Lu}\p{Lt}]{2}/u.test(right);
}

/** White space on one side only: two words became one, or one became two. */
function joinsWords(split: Side, joined: Side, k: number, length: number): boolean {
  const start = lettersLeft(split, k);
  const end = lettersRight(split, k, length);
  const left = formSlice(split, start, k);
  const right = formSlice(split, k, end);
  const whole = left + right;
  if (whole.toLowerCase() === 'cannot') return false;
  if ([left, right, whole].some(isWordAtStake)) return true;
  if (whole.length <= LONGEST_NAME && /\p{Lu}/u.test(whole)) return true;
  if (classAt(split.form.text, split.from + start - 1) === CHARACTER.digit && isUnit(left)) return isUnit(right) || isUnit(whole);
  return NEGATING_PREFIXES.has(left.toLowerCase()) && beginsWord(joined, start);
}

/** White space between two words, in a text whose own white space is no layout: "the rapist" is not "therapist"; "cannot" is "can not". */
function isOtherWord(split: Side, k: number, length: number): boolean {
  const left = formSlice(split, lettersLeft(split, k), k);
  const right = formSlice(split, k, lettersRight(split, k, length));
  return (left + right).toLowerCase() !== 'cannot' && !SPACELESS.test(left.slice(-1)) && !SPACELESS.test(right.slice(0, 1));
}

/** Whether a word begins at unit `k`, be it the second half of a compound. */
function beginsWord(side: Side, k: number): boolean {
  const gap = gapAt(side, k);
  return k === 0 || gap.isSpace || gap.hyphen !== '' || !isBetweenLetters(side, k);
}

function isWordAtStake(word: string): boolean {
  const lower = word.toLowerCase();
  return NEGATORS.has(lower) || isNegator(word) || MODALS.has(lower) || lower === 'maybe';
}
