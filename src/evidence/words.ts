import { APOSTROPHE_CLASS } from './match/characters.ts';
import { isOtherNegator, NEGATORS } from './negators.ts';

/** Source of the class of a character of a script that is written without spaces between words, for regular expressions. */
export const SPACELESS_CLASS =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\u30fc]';
/** A word with the apostrophes in it. */
export const WORD = new RegExp(`[\\p{L}\\p{M}]+(?:${APOSTROPHE_CLASS}[\\p{L}\\p{M}]+)*`, 'gu');

/** Words that deny what they govern: "is unable to", "lacks", "avoids". */
export const NEGATING_VERB =
  /^(?:unable|unlikely|unwilling|impossible|incapable|fail(?:s|ed|ing)?|refus(?:e|es|ed|ing)|forbid(?:s|den)?|prohibit(?:s|ed)?|prevent(?:s|ed)?|lack(?:s|ed|ing)?|avoid(?:s|ed|ing)?|refrain(?:s|ed|ing)?|den(?:y|ies|ied)|reject(?:s|ed)?|absent|contrary)$/iu;

/** Beginnings that negate when they are joined to a word ("in active" is not "inactive"). */
export const NEGATING_PREFIXES: ReadonlySet<string> = new Set(['a', 'an', 'in', 'im', 'il', 'ir', 'un', 'dis', 'de', 'mis', 'anti']);

/** Words of obligation and permission: their case carries meaning too (RFC 2119). Lower case. */
export const MODALS: ReadonlySet<string> = new Set([
  'must',
  'shall',
  'should',
  'may',
  'can',
  'will',
  'might',
  'could',
  'would',
  'required',
  'recommended',
  'optional',
  'mandatory',
  'prohibited',
  'forbidden',
]);

/** Number words. Lower case. */
export const NUMBER_WORDS: ReadonlySet<string> = new Set(
  (
    'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen ' +
    'twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion dozen half twice double triple'
  ).split(' '),
);

/** Words that say how much, how many or how often, or compare. Lower case. */
export const QUANTIFIERS: ReadonlySet<string> = new Set(
  (
    'all any some each every few many most several both either only exactly always sometimes often rarely least less more fewer ' +
    'minimum maximum min max lowest highest lower higher upper first last before after above below'
  ).split(' '),
);

const STATES: ReadonlySet<string> = new Set(
  (
    'increase increases increased decrease decreases decreased enable enables enabled disable disables disabled true false set clear ' +
    'cleared unless except if until'
  ).split(' '),
);

/** Symbols whose case says which unit, or which power of ten, is meant: mW and MW, Mb and MB. */
const SYMBOL =
  /^(?:[kKMGTPm\u03bc\u00b5unp](?:B|b|bit|bits|bps|Bps|Hz|s|m|g|V|A|W|F|J|N|Pa|\u03a9|\u2126|H|T|C|K|L|l|S|Wh|Ah|VA|eV)|[KMGT]iB|[KMGT]ib|dBm?|Hz|Pa|bps|Bps|Wh|VA|eV)$/;
/** Units of one letter, and those that are words. */
const PLAIN_UNIT =
  /^(?:[BbsmgVAWFJN\u03a9\u2126HTCKLlSkMGPh]|bits?|min|ppm|octets?|[Bb]ytes?|words?|cycles?|ms|(?:micro|milli|nano)?seconds?|minutes?|hours?|days?|[Vv]olts?|[Ww]atts?|[Aa]mps?|[Aa]mperes?|[Oo]hms?|(?:[Kk]ilo|[Mm]ega|[Gg]iga)?[Hh]ertz|%|\u2030|\u00b0|\u00b0[CFK])$/;
const LIKE_CONTRACTION = new RegExp(`n${APOSTROPHE_CLASS}t$`);
/** "doesnt": the apostrophe was lost. Not "cant" and "wont", which are words. */
const LOST_APOSTROPHE = /^(?:do|does|did|is|are|was|were|has|have|had|must|should|could|would|need)nt$/;

/** Whether the word is a unit as it is written. */
export function isUnit(word: string): boolean {
  return SYMBOL.test(word) || PLAIN_UNIT.test(word);
}

/** Whether the word is a unit of several letters that another case would make another unit. */
export function isUnitSymbol(word: string): boolean {
  return SYMBOL.test(word);
}

/** Whether the word, as it is written, negates: a negator of a language that the tables know, or a contraction with "n't". */
export function isNegator(word: string): boolean {
  const lower = word.toLowerCase();
  return NEGATORS.has(lower) || LIKE_CONTRACTION.test(lower) || LOST_APOSTROPHE.test(lower) || isOtherNegator(word);
}

/**
 * Whether a difference in this token can change what a text claims: numbers, signs and comparators, units, negations, modals,
 * quantifiers, identifiers in capitals or with an underscore.
 */
export function isProtected(token: string): boolean {
  const lower = token.toLowerCase();
  if (!/\p{L}/u.test(token) || /[\p{N}_]/u.test(token)) return true;
  const isAmount = QUANTIFIERS.has(lower) || NUMBER_WORDS.has(lower);
  return isNegator(token) || MODALS.has(lower) || isAmount || STATES.has(lower) || isUnit(token) || isCapitals(token);
}

/** Whether a changed case changes a token: modals and negations (RFC 2119), units, identifiers. */
export function isCaseSensitive(token: string): boolean {
  const isSymbol = isUnitSymbol(token) || (token.length === 1 && isUnit(token));
  const isName = isCapitals(token) || /[\p{N}_]/u.test(token) || isMixedCase(token);
  return isSymbol || isName || isNegator(token) || MODALS.has(token.toLowerCase());
}

function isCapitals(token: string): boolean {
  return token.length > 1 && /^\p{Lu}[\p{Lu}\p{N}_-]+$/u.test(token);
}

/** `mtimeHi`: a capital after a small letter in the same word. */
export function isMixedCase(token: string): boolean {
  return /\p{Ll}\p{Lu}/u.test(token);
}
