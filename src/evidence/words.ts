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

const UNIT =
  /^(?:[kKMGTPmu\u03bcnp]?(?:B|b|bit|bits|bps|Hz|s|m|g|V|A|W|F|J|N|Pa|\u03a9)|[KMGT]iB|[kKMGT]|min|h|dBm?|ppm|octets?|bytes?|words?|cycles?|seconds?|minutes?|hours?|days?|%|\u2030|\u00b0)$/;

/** Whether the word, as it is written, negates: a negator, or a contraction with "n't". */
export function isNegator(word: string): boolean {
  const lower = word.toLowerCase();
  return NEGATORS.has(lower) || /n['\u2019]t$/.test(lower);
}

/**
 * Whether a difference in this token can change what a text claims: numbers, signs and comparators, units, negations, modals,
 * quantifiers, identifiers in capitals or with an underscore.
 */
export function isProtected(token: string): boolean {
  const lower = token.toLowerCase();
  if (!/\p{L}/u.test(token) || /[\p{N}_]/u.test(token)) return true;
  return isNegator(token) || MODALS.has(lower) || QUANTIFIERS.has(lower) || UNIT.test(token) || isCapitals(token);
}

/** Whether a changed case changes a token: modals and negations (RFC 2119), units, identifiers. */
export function isCaseSensitive(token: string): boolean {
  const lower = token.toLowerCase();
  return isNegator(token) || MODALS.has(lower) || UNIT.test(token) || isCapitals(token) || /[\p{N}_]/u.test(token) || isMixedCase(token);
}

function isCapitals(token: string): boolean {
  return token.length > 1 && /^\p{Lu}[\p{Lu}\p{N}_-]+$/u.test(token);
}

/** `mtimeHi`: a capital after a small letter. */
function isMixedCase(token: string): boolean {
  return /\p{Ll}\p{Lu}/u.test(token);
}
