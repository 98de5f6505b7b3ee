import { APOSTROPHE_CLASS } from '../match/characters.ts';
import { isNegator } from '../words.ts';

const CONTEXT = 120;
/** Words of content between a negation and the span; words that only lead on to it are free, up to `MOST_WORDS` in all. */
const CONTENT_LEFT = 2;
const MOST_WORDS = 6;

/** Where a clause ends: punctuation, a spaced dash, an empty line, a list item. Not a quotation mark: `MUST NOT "retry"`. */
const CLAUSE_END = /[.;:!?,()[\]{}|\u2014]|\s[-\u2013]\s|\n\s*\n|\n\s*(?:[-*+\u2022#>]|\p{N}+[.)])\s/gu;
const WORD = new RegExp(`[\\p{L}\\p{M}]+(?:${APOSTROPHE_CLASS}[\\p{L}\\p{M}]+)*`, 'gu');
/** Words between a negation and what it negates: "not all of the", "not in any". Lower case. */
const LEADS_ON: ReadonlySet<string> = new Set(
  'of the a an all any every each both either some such these those this that its their our only just even also always in at on by to for from under with within during'.split(
    ' ',
  ),
);
/** "(in general)", and ", however," right after a negation: the clause goes on behind them. */
const INSERTION =
  /\([^()\n]{1,60}\)|(?<=\b(?:not|never)),(?:[^,.;:!?]{1,40},(?=\s*$)|\s(?:however|therefore|thus|moreover|indeed|in|under|at|by|on|as|of)\b[^,.;:!?]{0,40},)/giu;

/** What a reader takes for no part of the words: emphasis, quotation marks, tags of HTML, what cannot be seen. */
const DECORATION = `(?:[\\p{Cf}*_~"\\u00ab\\u00bb\\u2018-\\u201f\`]|<\\/?[a-zA-Z]{1,10}>)*`;
const SPACE = '(?:[^\\S\\n]|\\n(?!\\s*\\n))+';
const ADVERB = `(?:\\p{L}+ly|also|still|yet|just|even|often|always|usually)`;
const LEAD = `(?:(?:under|in|at|on|by|for|with|to)${SPACE})`;
/** "A server does | not retry", "is allowed | under no circumstances": the negation comes right after the span. */
const NEGATED_AFTER = new RegExp(
  `^${DECORATION}${SPACE}(?:${ADVERB}${SPACE}){0,2}${LEAD}?${DECORATION}(?:not|never|no|none|nothing|nowhere|hardly|scarcely|barely)(?![\\p{L}\\p{N}_])(?!\\.${SPACE}\\p{N})`,
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
  const words = [...context.slice(clauseStart).matchAll(WORD)].slice(-MOST_WORDS).reverse();
  let content = 0;
  for (const word of words) {
    if (isNegator(word[0])) return from + clauseStart + word.index;
    content += LEADS_ON.has(word[0].toLowerCase()) || /ly$/i.test(word[0]) ? 0 : 1;
    if (content >= CONTENT_LEFT) return null;
  }
  return null;
}
