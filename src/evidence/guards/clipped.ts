import { APOSTROPHE_CLASS } from '../match/characters.ts';
import { unspacedNegation } from '../negators.ts';
import { isNegator, NEGATING_VERB, WORD } from '../words.ts';

const CONTEXT = 120;
/** Words of content between a negation and the span; words that only lead on to it are free, up to `MOST_WORDS` in all. */
const CONTENT_LEFT = 2;
/** The same before an infinitive, which hangs on what is before it: "no obligation for clients to | retry". */
const CONTENT_LEFT_OF_INFINITIVE = 3;
/** The same before a statement: "no study of ours has shown that | the drug works". */
const CONTENT_LEFT_OF_STATEMENT = 6;
const MOST_WORDS = 9;
/** Characters of the span that may be the mark of its item. */
const MARK_OF_ITEM = 8;

/**
 * Where a clause ends: punctuation, a spaced dash, an empty line, a list item, a heading, a row of a table. Not a quotation mark: `MUST NOT
 * "retry"`.
 */
const CLAUSE_END =
  /[.;:!?,()[\]{}\u2014\u3001\u3002\uff0c\uff1b\uff1a\uff01\uff1f]|\||\s[-\u2013]\s|\n\s*\n|\n\s*(?:[-*+\u2022>]|#{1,6}|\p{N}+(?:[.)]|\s))\s|(?<=\|[^\n|]{0,100})\n/gu;
/** Words between a negation and what it negates: "not all of the", "not in any". Lower case. */
const LEADS_ON: ReadonlySet<string> = new Set(
  (
    'of the a an all any every each both either some such these those this that its their our only just even also always ever again yet first well ' +
    'be been being have has had do does did having required expected assumed allowed permitted supposed or in at on by to for from under with within during'
  ).split(' '),
);
const LINK = /^(?:to|of|from)$/iu;
/** Directly before what they restrict: "Only | administrators", "Few of the | clients", "lacks | support", "avoids | retrying". */
const RESTRICTING =
  /^(?:only|few|lack(?:s|ed|ing)?|avoid(?:s|ed|ing)?|refrain(?:s|ed|ing)?|prohibit(?:s|ed)?|forbid(?:s|den)?|prevent(?:s|ed)?)$/iu;
const DETERMINER = /^(?:of|the|a|an|these|those|its|their|our|from)$/iu;
/** Before a statement: "has not shown that | the drug works", "no reason to believe | the drug works"; not "links that | the client uses". */
const BELIEVING = /^(?:believe|think|assume|suppose)$/iu;
const STATING =
  /^(?:show[ns]?|showed|prove[dns]?|proof|means?|meant|impl(?:y|ies|ied)|indicate[ds]?|indications?|suggest(?:s|ed)?|evidence|guarantee[ds]?|ensure[ds]?|believe[ds]?|true|case|claim(?:s|ed)?|say|says|said|state[ds]?|find|found|know[ns]?|clear|certain|sure|reason|signs?|assume[ds]?|demonstrate[ds]?|conclude[ds]?|confirm(?:s|ed)?|report(?:s|ed)?)$/iu;
/** Before "that": "It is false that | the server retries". */
const DENIAL = /^(?:false|untrue|wrong|incorrect|contrary|den(?:y|ies|ied)|doubt(?:s|ed|ful)?|refute[sd]?|myth)$/iu;
/** "(in general)", "[yet]", "- under load -" in one paragraph, no marks of a list, and ", however," right after a negation: the clause goes on behind them. */
const INSERTION = new RegExp(
  [
    '\\([^()\\n]{1,60}\\)',
    '\\[[^[\\]\\n]{1,60}\\]',
    '(?<=\\S[^\\S\\n]+)[-\\u2013\\u2014]{1,3}\\s(?:[^-\\u2013\\u2014.;:!?\\n]|\\n(?!\\s*\\n)){1,60}[^\\S\\n][-\\u2013\\u2014]{1,3}(?=\\s)',
    '\\u2014[^\\s\\u2014][^\\u2014.;:!?]{0,60}\\u2014',
    '(?<=\\b(?:not|never)),(?:[^,.;:!?]{1,40},(?=\\s*$)|\\s(?:however|therefore|thus|moreover|indeed|in|under|at|by|on|as|of)\\b[^,.;:!?]{0,40},)',
  ].join('|'),
  'giu',
);

/** What a reader takes for no part of the words: emphasis, quotation marks, tags of HTML, what cannot be seen. */
const DECORATION = `(?:[\\p{Cf}*_~"\\u00ab\\u00bb\\u2018-\\u201f\`]|<\\/?[a-zA-Z]{1,10}>)*`;
const SPACE = '\\s+';
const ADVERB = `(?:\\p{L}+ly|also|still|yet|just|even|often|always|usually)`;
const LEAD = `(?:(?:under|in|at|on|by|for|with|to|en)${SPACE})`;
/** "A server does | not retry", "is allowed | under no circumstances": the word that may negate comes right after the span. */
const WORD_AFTER = new RegExp(
  `^${DECORATION}${SPACE}(?:${ADVERB}${SPACE}){0,2}${LEAD}?${DECORATION}(${WORD.source})(?![\\p{L}\\p{N}_-])(?!\\.${SPACE}\\p{N})`,
  'iu',
);
const OF_WHAT_FOLLOWS = new RegExp(`^(?:without|nor|cannot|ohne|zonder|sans|sin|sem|senza|\\p{L}+n${APOSTROPHE_CLASS}?t)$`, 'iu');
/** Where what follows a span stops to belong to it: an empty line, a line that begins like a sentence, heading or item. */
const LINE_OF_ITS_OWN = /\n\s*\n|\n\s*["'\u2018\u201c(]*\p{Lu}(?!\p{Lu})|\n\s*(?:[-*+\u2022>|]|#{1,6}|\p{N}+[.)])\s/u;
/** "The device must wait." of "must wait until the bus is idle": the quote's own full stop hides a limit. */
const LIMITED_AFTER = new RegExp(
  `^${DECORATION},?${SPACE}(?:(?:for|after|within|by|in|to)${SPACE})?(?:unless|until|only|except|excepting|provided|at${SPACE}most|no${SPACE}more${SPACE}than)(?![\\p{L}\\p{N}_])`,
  'iu',
);
/** "non | volatile": a prefix that stands apart. */
const PREFIX_BEFORE = /(?<![\p{L}\p{N}_])non\s+$/iu;
/** "non-volatile": of its own word. */
const PREFIX_JOINED = /(?<![\p{L}\p{N}])non-/giu;
/** Characters from the end of a quote to the ending that negates its verb; further away it negates another word. */
const UNSPACED_REACH = 10;
/** `false` for what a reader of Markdown does not see. */
type Marks = Uint8Array | null;
type Span = { readonly start: number; readonly end: number };

/**
 * The span with the negation that governs it and that it leaves out: one of the words before it in the same clause ("Not all | harts
 * need …", "must not under any load | retry"), or the word right after it; where the quote closes with a mark of its own (`isClosed`),
 * a limit right after it too. `null` when nothing is left out. `marks[i] === 1` is a mark of Markdown.
 */
export function negationLeftOut(text: string, marks: Marks, span: Span, isClosed = false): Span | null {
  const left = negatorBefore(text, span) ?? unspacedBefore(text, span);
  if (left !== null) return { start: left, end: span.end };
  const right = negatorAfter(text, marks, span, isClosed);
  return right === null ? null : { start: span.start, end: right };
}

/** Offset behind the negation, or limit, right after the span; `null` when there is none. */
function negatorAfter(text: string, marks: Marks, { start, end }: Span, isClosed: boolean): number | null {
  const tail = text.slice(Math.max(start, end - CONTEXT), end);
  if (/[.;:!?,\u3002\uff0c\uff1b\uff01\uff1f]\s*$/.test(tail)) return null;
  const ahead = upToOwnLine(readable(text, marks, end, end + CONTEXT), / \| [^\n]*$/.test(tail));
  const limit = isClosed ? LIMITED_AFTER.exec(ahead) : null;
  if (limit !== null) return end + limit[0].length;
  const after = WORD_AFTER.exec(ahead);
  if (after !== null && negatesBack(after[1] ?? '')) return end + after[0].length;
  const unspaced = unspacedNegation(clauseFrom(ahead).slice(0, UNSPACED_REACH));
  return unspaced === null ? null : end + unspaced.index + unspaced.length;
}

/** Whether the word negates what is before it: "does | not", "darf den Ruf | nicht"; not "is sent | without", "the client | can't". */
function negatesBack(word: string): boolean {
  return isNegator(word) && !OF_WHAT_FOLLOWS.test(word);
}

function upToOwnLine(ahead: string, isRow: boolean): string {
  const end = isRow ? ahead.indexOf('\n') : (LINE_OF_ITS_OWN.exec(ahead)?.index ?? -1);
  return end === -1 ? ahead : ahead.slice(0, end);
}

function clauseFrom(text: string): string {
  return text.slice(0, [...text.matchAll(CLAUSE_END)][0]?.index ?? text.length);
}

/** A stretch of the text with its marks of Markdown blanked by a character that joins nothing. */
function readable(text: string, marks: Marks, start: number, end: number): string {
  const piece = text.slice(start, end);
  return marks === null ? piece : Array.from({ length: piece.length }, (_, i) => (marks[start + i] === 1 ? '*' : piece.charAt(i))).join('');
}

/** The end of the clause that the span goes on with, and where it starts; `null` when the span begins a clause of its own, as an item does. */
function clauseBefore(text: string, { start, end }: Span): { readonly clause: string; readonly from: number } | null {
  const from = Math.max(0, start - CONTEXT);
  const context = text.slice(from, start).replace(INSERTION, (insertion) => ' '.repeat(insertion.length));
  let clauseStart = 0;
  for (const match of (context + text.slice(start, Math.min(end, start + MARK_OF_ITEM))).matchAll(CLAUSE_END)) {
    if (match.index >= context.length) break;
    clauseStart = match.index + match[0].length;
  }
  return clauseStart > context.length ? null : { clause: context.slice(clauseStart), from: from + clauseStart };
}

/** Offset of the negator among the last words of the clause before the span; `null` when there is none. */
function negatorBefore(text: string, span: Span): number | null {
  const apart = standingApart(text, span);
  const before = clauseBefore(text, span);
  if (apart !== null || before === null) return apart;
  const prefix = PREFIX_BEFORE.exec(before.clause);
  if (prefix !== null) return before.from + prefix.index;
  const words = [...before.clause.replace(PREFIX_JOINED, (prefix) => '_'.repeat(prefix.length)).matchAll(WORD)]
    .slice(-MOST_WORDS)
    .map((word) => ({ text: word[0], at: word.index }));
  const negator = restricting(words) ?? governing(words);
  return negator === null ? null : before.from + negator;
}

/** "MUST NOT: | retry"; and, where a page ends within a sentence, "NOT", an empty line, "retry". */
const APART = new RegExp(`(${WORD.source})(?:\\s*:\\s+|\\s*\\n\\s*\\n\\s*)$`, 'u');

function standingApart(text: string, { start }: Span): number | null {
  const from = Math.max(0, start - CONTEXT);
  const found = APART.exec(text.slice(from, start));
  const [gap = '', word = ''] = found ?? [];
  const isLeading = gap.includes(':') && (isNegator(word) || /^(?:prohibited|forbidden)$/i.test(word));
  const isTornApart = /^not$/i.test(word) && /^\p{Ll}/u.test(text.slice(start, start + 2));
  return found !== null && (isLeading || isTornApart) ? from + found.index : null;
}

/** Offset of the negation in a clause without spaces between its words, before the span. */
function unspacedBefore(text: string, span: Span): number | null {
  const before = clauseBefore(text, span);
  const found = before === null ? null : unspacedNegation(before.clause);
  return before === null || found === null ? null : before.from + found.index;
}

type Word = { readonly text: string; readonly at: number };

/** Where a word stands that restricts what comes right after it; "a few" and "not only" do not. */
function restricting(words: readonly Word[]): number | null {
  let last = words.length - 1;
  while (DETERMINER.test(words[last]?.text ?? '')) last -= 1;
  const [word, previous] = [words[last], words[last - 1]?.text.toLowerCase() ?? ''];
  if (word === undefined || !RESTRICTING.test(word.text)) return null;
  const lower = word.text.toLowerCase();
  if (lower === 'few' ? /^(?:a|the|last|first|next)$/.test(previous) : lower === 'only' && /^(?:not|the|an|if)$/.test(previous))
    return null;
  return word.at;
}

/** Where the negator stands that reaches over the last of these words. */
function governing(words: readonly Word[]): number | null {
  const last = words.at(-1)?.text.toLowerCase();
  const isStatement = BELIEVING.test(last ?? '') || (last === 'that' && isStating(words.at(-2)?.text ?? ''));
  const reach = isStatement ? CONTENT_LEFT_OF_STATEMENT : last === 'to' ? CONTENT_LEFT_OF_INFINITIVE : CONTENT_LEFT;
  let content = 0;
  for (let i = words.length - 1; i >= 0; i -= 1) {
    const word = words[i];
    if (word === undefined) break;
    const next = words[i + 1]?.text ?? '';
    if (negatesOnwards(word.text, next) || (NEGATING_VERB.test(word.text) && LINK.test(next)) || (isStatement && DENIAL.test(word.text)))
      return word.at;
    content += isContent(word.text, next, words[i + 2]?.text) ? 1 : 0;
    if (content >= reach) return null;
  }
  return null;
}

/** The French "ne" stands right before its verb; elsewhere it is a piece of an English word. */
function negatesOnwards(word: string, next: string): boolean {
  return isNegator(word) && (next === '' || word.toLowerCase() !== 'ne');
}

function isStating(word: string): boolean {
  return STATING.test(word) || DENIAL.test(word);
}

/** Words of two that "and" or "or" joins count once: "None of the known and documented | harts", but not "does not wait and | retries". */
function isContent(word: string, next: string, afterNext: string | undefined): boolean {
  const lower = word.toLowerCase();
  if (LEADS_ON.has(lower) || /ly$/.test(lower)) return false;
  if (lower === 'and') return next === '';
  return !(/^(?:and|or)$/i.test(next) && afterNext !== undefined);
}
