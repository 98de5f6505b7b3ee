import { APOSTROPHE_CLASS } from '../match/characters.ts';
import { isNegator } from '../words.ts';

const CONTEXT = 120;
/** Words of content between a negation and the span; words that only lead on to it are free, up to `MOST_WORDS` in all. */
const CONTENT_LEFT = 2;
/** The same before an infinitive, which hangs on what is before it: "no obligation for clients to | retry". */
const CONTENT_LEFT_OF_INFINITIVE = 3;
const MOST_WORDS = 9;

/** Where a clause ends: punctuation, a spaced dash, an empty line, a list item. Not a quotation mark: `MUST NOT "retry"`. */
const CLAUSE_END = /[.;:!?,()[\]{}|\u2014]|\s[-\u2013]\s|\n\s*\n|\n\s*(?:[-*+\u2022#>]|\p{N}+[.)])\s/gu;
const WORD = new RegExp(`[\\p{L}\\p{M}]+(?:${APOSTROPHE_CLASS}[\\p{L}\\p{M}]+)*`, 'gu');
/** Words between a negation and what it negates: "not all of the", "not in any". Lower case. */
const LEADS_ON: ReadonlySet<string> = new Set(
  (
    'of the a an all any every each both either some such these those this that its their our only just even also always ever again yet first well ' +
    'be been being have has had having required expected assumed allowed permitted supposed or in at on by to for from under with within during'
  ).split(' '),
);
/** Words that negate what follows them with "to", "of" or "from": "is unable to | retry". */
const NEGATOR_OF_NEXT =
  /^(?:unable|unlikely|unwilling|impossible|incapable|fail(?:s|ed|ing)?|refus(?:e|es|ed|ing)|forbidden|prohibit(?:s|ed)?|prevent(?:s|ed)?)$/iu;
const LINK = /^(?:to|of|from)$/iu;
/** "(in general)", "- under load -" in one paragraph, no marks of a list, and ", however," right after a negation: the clause goes on behind them. */
const INSERTION = new RegExp(
  [
    '\\([^()\\n]{1,60}\\)',
    '(?<=\\S[^\\S\\n]+)[-\\u2013\\u2014]{1,3}\\s(?:[^-\\u2013\\u2014.;:!?\\n]|\\n(?!\\s*\\n)){1,60}[^\\S\\n][-\\u2013\\u2014]{1,3}(?=\\s)',
    '\\u2014[^\\s\\u2014][^\\u2014.;:!?]{0,60}\\u2014',
    '(?<=\\b(?:not|never)),(?:[^,.;:!?]{1,40},(?=\\s*$)|\\s(?:however|therefore|thus|moreover|indeed|in|under|at|by|on|as|of)\\b[^,.;:!?]{0,40},)',
  ].join('|'),
  'giu',
);

/** What a reader takes for no part of the words: emphasis, quotation marks, tags of HTML, what cannot be seen. */
const DECORATION = `(?:[\\p{Cf}*_~"\\u00ab\\u00bb\\u2018-\\u201f\`]|<\\/?[a-zA-Z]{1,10}>)*`;
const SPACE = '(?:[^\\S\\n]|\\n(?!\\s*\\n))+';
const ADVERB = `(?:\\p{L}+ly|also|still|yet|just|even|often|always|usually)`;
const LEAD = `(?:(?:under|in|at|on|by|for|with|to)${SPACE})`;
/** "A server does | not retry", "is allowed | under no circumstances": the negation comes right after the span. */
const NEGATED_AFTER = new RegExp(
  `^${DECORATION}${SPACE}(?:${ADVERB}${SPACE}){0,2}${LEAD}?${DECORATION}(?:not|never|no|none|neither|nothing|nobody|nowhere|seldom|hardly|scarcely|barely)(?![\\p{L}\\p{N}_])(?!\\.${SPACE}\\p{N})`,
  'iu',
);
/** "non | volatile": a prefix that stands apart. */
const PREFIX_BEFORE = /(?<![\p{L}\p{N}_])non\s+$/iu;
/** `false` for what a reader of Markdown does not see. */
type Marks = Uint8Array | null;
type Span = { readonly start: number; readonly end: number };

/**
 * The span with the negation that governs it and that it leaves out: one of the words before it in the same clause ("Not all | harts
 * need …", "must not under any load | retry"), or the word right after it. `null` when nothing is left out. `marks[i] === 1` is a mark
 * of Markdown.
 */
export function negationLeftOut(text: string, marks: Marks, { start, end }: Span): Span | null {
  const left = negatorBefore(text, start);
  if (left !== null) return { start: left, end };
  const ahead = readable(text, marks, end, end + CONTEXT);
  const after = NEGATED_AFTER.exec(ahead);
  return after === null || /[.;:!?,]\s*$/.test(text.slice(start, end)) ? null : { start, end: end + after[0].length };
}

/** A stretch of the text with its marks of Markdown blanked by a character that joins nothing. */
function readable(text: string, marks: Marks, start: number, end: number): string {
  const piece = text.slice(start, end);
  return marks === null ? piece : Array.from({ length: piece.length }, (_, i) => (marks[start + i] === 1 ? '*' : piece.charAt(i))).join('');
}

/** Offset of the negator among the last words of the clause before `start`; `null` when there is none. */
function negatorBefore(text: string, start: number): number | null {
  const from = Math.max(0, start - CONTEXT);
  const context = text.slice(from, start).replace(INSERTION, (insertion) => ' '.repeat(insertion.length));
  const prefix = PREFIX_BEFORE.exec(context);
  if (prefix !== null) return from + prefix.index;
  let clauseStart = 0;
  for (const match of context.matchAll(CLAUSE_END)) clauseStart = match.index + match[0].length;
  const words = [...context.slice(clauseStart).matchAll(WORD)].slice(-MOST_WORDS).map((word) => ({ text: word[0], at: word.index }));
  const negator = governing(words);
  return negator === null ? null : from + clauseStart + negator;
}

type Word = { readonly text: string; readonly at: number };

/** Where the negator stands that reaches over the last of these words. */
function governing(words: readonly Word[]): number | null {
  const reach = words.at(-1)?.text.toLowerCase() === 'to' ? CONTENT_LEFT_OF_INFINITIVE : CONTENT_LEFT;
  let content = 0;
  for (let i = words.length - 1; i >= 0; i -= 1) {
    const word = words[i];
    if (word === undefined) break;
    const next = words[i + 1]?.text ?? '';
    if (isNegator(word.text) || (NEGATOR_OF_NEXT.test(word.text) && LINK.test(next))) return word.at;
    content += isContent(word.text, next, words[i + 2]?.text) ? 1 : 0;
    if (content >= reach) return null;
  }
  return null;
}

/** Words of two that "and" or "or" joins count once: "None of the known and documented | harts", but not "does not wait and | retries". */
function isContent(word: string, next: string, afterNext: string | undefined): boolean {
  const lower = word.toLowerCase();
  if (LEADS_ON.has(lower) || /ly$/.test(lower)) return false;
  if (lower === 'and') return next === '';
  return !(/^(?:and|or)$/i.test(next) && afterNext !== undefined);
}
