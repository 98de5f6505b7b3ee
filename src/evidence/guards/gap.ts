import { unspacedNegation } from '../negators.ts';
import { isNegator, isProtected, MODALS, NEGATING_VERB, NUMBER_WORDS, QUANTIFIERS, WORD } from '../words.ts';

/** Real gaps are 112 characters in the middle, 1,184 at the ninetieth percentile and 11,459 at most. */
export const LONGEST_GAP = 12_000;
/** A sentence longer than this is none. */
const LONGEST_SENTENCE = 2_000;
/** Where a sentence ends, or an item of a list. */
const SENTENCE_END =
  /[.!?]["'\u2019\u201d)\]]*\s+["'\u2018\u201c([]*[\p{Lu}\p{Lt}\p{Lo}\p{N}]|[.!?]["'\u2019\u201d)\]]*\s*$|\n\s*\n|;\s*\n|\u3002|\n\s*(?:[-*+\u2022#]|\p{N}+[.)])\s/u;
const EXCEPTIONS: ReadonlySet<string> = new Set('unless except excepting excluding besides if until only save barring'.split(' '));
/** Words that make a statement hold only at times. Lower case. */
const CONDITIONS: ReadonlySet<string> = new Set('when whenever where wherever while whilst provided providing otherwise'.split(' '));
const CONDITION = /\b(?:(?:as|so) long as|in case|on condition)\b/iu;
const COMPARATIVES: ReadonlySet<string> = new Set('than under over beyond within exceeds exceeding times'.split(' '));
/** What makes a second statement of what follows: another subject may have come. */
const COORDINATION =
  /\b(?:and|or|but|whereas|yet|und|oder|aber|et|ou|mais|y|o|pero)\b|;|,\s(?:[^\s,]+\s){1,6}(?:is|are|was|were|has|have|had|does|do|did|[\p{L}]{3,}ed)\b/iu;
/** ", which may be off," : a gap that is a clause of its own binds nothing around it. */
const OWN_CLAUSE = /^\s*,[\s\S]*,\s*$|^\s*\([\s\S]*\)\s*$|^\s*[\u2013\u2014-]\s[\s\S]*[\u2013\u2014-]\s*$/u;
/** "[5]", "(see Section 2.1)", "RFC 2119": numbers that measure nothing. */
const CITATION =
  /\[[^[\]]{1,40}\]|\((?:see|cf\.?)\s[^()]{1,60}\)|\b(?:sections?|figures?|fig\.|tables?|chapters?|appendix|rfc|eq\.|equations?|version)\s\p{N}[\p{N}.]*/giu;
const TOKEN = new RegExp(`${WORD.source}|\\p{N}+|[<>=\u2260\u2264-\u226b\u00b1\u2213\u221a%\u2030]`, 'gu');

/** What a gap between two parts of one sentence comes to. */
export type HiddenWords =
  /** Words that decide what is claimed. */
  | { readonly kind: 'binding'; readonly word: string }
  /** It joins two statements, or measures something: a person must see whether that belongs to what is claimed. */
  | { readonly kind: 'doubtful' };

/**
 * What an ellipsis hides of a sentence whose two parts stand on both sides of it: the negation nearest to the second part, else the first
 * condition, modal, exception or quantifier (`binding`), else a number, comparison or coordination (`doubtful`). `null` when the parts stand
 * in two sentences, or nothing of the kind is left out. `left` ends and `right` begins beside the gap.
 */
export function hiddenByEllipsis(left: string, gap: string, right: string): HiddenWords | null {
  if (gap.length > LONGEST_SENTENCE || endsSentence(left, gap, right)) return null;
  const isOwnClause = OWN_CLAUSE.test(gap);
  const tokens = gap.replace(CITATION, ' ').match(TOKEN) ?? [];
  const negation = tokens.findLast((token) => isNegator(token) || NEGATING_VERB.test(token)) ?? unspacedIn(gap);
  const word = negation ?? tokens.find((token) => isBinding(token) || (!isOwnClause && isLimiting(token))) ?? CONDITION.exec(gap)?.[0];
  if (word !== undefined) return { kind: 'binding', word };
  return !isOwnClause && (COORDINATION.test(gap) || tokens.some(isAmount)) ? { kind: 'doubtful' } : null;
}

/** "e.g." and the like end no sentence. */
const ABBREVIATION = /\b(?:e\.g|i\.e|cf|vs|fig|sect?|eq|approx|resp|ca|incl|excl)\./giu;

function endsSentence(left: string, gap: string, right: string): boolean {
  const [before, between] = [left.slice(-12), gap].map((text) => text.replace(ABBREVIATION, (word) => `${word.slice(0, -1)}_`));
  return SENTENCE_END.test(`${before?.slice(-2)}${between}${right.slice(0, 2)}`);
}

function unspacedIn(gap: string): string | undefined {
  const found = unspacedNegation(gap);
  return found === null ? undefined : gap.slice(found.index, found.index + found.length);
}

function isBinding(token: string): boolean {
  const lower = token.toLowerCase();
  return EXCEPTIONS.has(lower) || (CONDITIONS.has(lower) && lower !== 'where');
}

function isLimiting(token: string): boolean {
  const lower = token.toLowerCase();
  return QUANTIFIERS.has(lower) || lower === 'where' || MODALS.has(lower);
}

function isAmount(token: string): boolean {
  const lower = token.toLowerCase();
  return NUMBER_WORDS.has(lower) || COMPARATIVES.has(lower) || !/\p{L}/u.test(token);
}

/** Whether words that an editor's bracket stands for could change what is claimed. */
export function holdsProtected(text: string): boolean {
  const tokens = text.match(/[\p{L}\p{M}\p{N}_'\u2019]+|[^\s\p{L}\p{M}\p{N}_,()"'\u2018\u2019\u201c\u201d]/gu) ?? [];
  return tokens.some((token) => isProtected(token) || EXCEPTIONS.has(token.toLowerCase()) || token === 'but' || NEGATING_VERB.test(token));
}

/** The text, shortened in its middle. */
export function shortened(text: string, most: number): string {
  const characters = Array.from(text);
  if (characters.length <= most) return text;
  const half = Math.floor((most - 3) / 2);
  return `${characters.slice(0, half).join('')} … ${characters.slice(-half).join('')}`;
}
