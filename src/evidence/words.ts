import { APOSTROPHE_CLASS } from './match/characters.ts';

/** Words that turn a statement into its opposite. Lower case. */
export const NEGATORS: ReadonlySet<string> = new Set([
  'not',
  'no',
  'never',
  'none',
  'nor',
  'neither',
  'without',
  'cannot',
  'nothing',
  'nobody',
  'nowhere',
  'hardly',
  'scarcely',
  'barely',
  'seldom',
]);

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

const QUANTIFIERS: ReadonlySet<string> = new Set(
  (
    'all any some each every few many most several both either only exactly always sometimes often rarely at least less more fewer ' +
    'minimum maximum min max lowest highest lower higher upper first last before after above below increase increases increased ' +
    'decrease decreases decreased enable enables enabled disable disables disabled true false set clear cleared one two three four ' +
    'five six seven eight nine ten hundred thousand million billion half twice unless except if until'
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

/** Whether the word, as it is written, negates: a negator, or a contraction with "n't". */
export function isNegator(word: string): boolean {
  const lower = word.toLowerCase();
  return NEGATORS.has(lower) || LIKE_CONTRACTION.test(lower) || LOST_APOSTROPHE.test(lower);
}

/**
 * Whether a difference in this token can change what a text claims: numbers, signs and comparators, units, negations, modals,
 * quantifiers, identifiers in capitals or with an underscore.
 */
export function isProtected(token: string): boolean {
  const lower = token.toLowerCase();
  if (!/\p{L}/u.test(token) || /[\p{N}_]/u.test(token)) return true;
  return isNegator(token) || MODALS.has(lower) || QUANTIFIERS.has(lower) || isUnit(token) || isCapitals(token);
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
