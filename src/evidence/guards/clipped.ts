import { isNegator } from '../words.ts';

const CONTEXT = 80;
const WORDS_LEFT = 2;

/** Where a clause ends: punctuation, a spaced dash, an empty line, a list item. */
const CLAUSE_END = /[.;:!?,()[\]{}|"\u201c\u201d\u2014]|\s[-\u2013]\s|\n\s*\n|\n\s*(?:[-*+\u2022#>]|\p{N}+[.)])\s/gu;
const WORD = /[\p{L}\p{M}]+(?:['\u2019][\p{L}\p{M}]+)*/gu;
/** "A server does | not retry": the negation comes right after the span. */
const NEGATED_AFTER = /^\s+(?:not|never)(?![\p{L}\p{N}_])/iu;

/**
 * The span `[start, end)` with the negation that governs it and that it leaves out: one of the two words before it in the same
 * clause ("Not all | harts need …"), or the word right after it. `null` when nothing is left out.
 */
export function negationLeftOut(text: string, start: number, end: number): { start: number; end: number } | null {
  const left = negatorBefore(text, start);
  if (left !== null) return { start: left, end };
  const after = NEGATED_AFTER.exec(text.slice(end, end + CONTEXT));
  return after === null || /[.;:!?,]\s*$/.test(text.slice(start, end)) ? null : { start, end: end + after[0].length };
}

/** Offset of the negator among the last words of the clause before `start`; `null` when there is none. */
function negatorBefore(text: string, start: number): number | null {
  const from = Math.max(0, start - CONTEXT);
  const context = text.slice(from, start);
  let clauseStart = 0;
  for (const match of context.matchAll(CLAUSE_END)) clauseStart = match.index + match[0].length;
  const words = [...context.slice(clauseStart).matchAll(WORD)].slice(-WORDS_LEFT);
  const negator = words.find((word) => isNegator(word[0]));
  return negator === undefined ? null : from + clauseStart + negator.index;
}
