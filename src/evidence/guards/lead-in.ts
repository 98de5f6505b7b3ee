import { isNegator, WORD } from '../words.ts';

/** How far above an item its lead-in is looked for. */
const REACH = 4_000;
const LONGEST_LEAD_IN = 400;
const ITEM = /^\s*(?:[-*+\u2022\u25cf\u25e6\u2013\u2014]|\(?(?:\p{N}{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)])\s/u;
/** "shall not:", "must not" before the items of a contract. */
const LEADS = /[:\u2014\u2013]\s*$|\b(?:not|never|none|no)\s*$/iu;
const SENTENCE_START = /[.!?]["'\u2019\u201d)]*\s+(?=["'\u2018\u201c(]*\p{Lu})/gu;
/** "If it does not answer, the following applies:" negates nothing. */
const CONDITION = /^\s*(?:if|when|where|while|unless|once|after|before|as|since|because)\b[^,:]{1,200},/iu;
const NEGATING = /^(?:prohibited|forbidden|disallowed|except|excepting|excluding|excluded|unsupported|invalid)$/iu;
/** An item in a line: "shall not: (a) disclose; (b) copy". */
const INLINE = /^[\s\S]*:(?=\s*\(?(?:\p{N}{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]\s)/u;

/** The words before a list that negate its items, when a span that starts at `start` stands in such an item; else `null`. */
export function negatedLeadIn(text: string, start: number): string | null {
  const above = text.slice(Math.max(0, start - REACH), start);
  const head = /^[^\n]{0,12}/.exec(text.slice(start, start + 12))?.[0] ?? '';
  for (const leadIn of leadInsOf(above, head)) {
    const sentence = lastSentence(leadIn).slice(-LONGEST_LEAD_IN).trim();
    if (negates(sentence)) return sentence;
  }
  return null;
}

/** The lead-ins above an item, the nearest first; a lead-in may itself be an item of another list. */
function* leadInsOf(above: string, head: string): Generator<string> {
  const inline = INLINE.exec(lastSentence(above.slice(-LONGEST_LEAD_IN)));
  if (inline !== null) yield inline[0];
  const lines = `${above}${head}`.split('\n');
  const isIndented = /^\s/.test(lines.at(-1) ?? '');
  let isItem = false;
  for (let i = lines.length - 1; i >= 0; i -= 1) {
    const line = lines[i] ?? '';
    const isOwn = i === lines.length - 1;
    if (!isOwn && isItem && LEADS.test(line) && endsParagraph(lines, i)) {
      yield paragraphUpTo(lines, i);
      isItem = ITEM.test(line);
      if (!isItem) return;
    } else if (ITEM.test(line)) isItem = true;
    else if (isItem ? endsList(lines, i) : line.trim() === '' && !isOwn && !isIndented) return;
  }
}

/** Whether line `i` is the last of its paragraph or item: a line of running text that happens to end in "not" leads in nothing. */
function endsParagraph(lines: readonly string[], i: number): boolean {
  const next = lines[i + 1] ?? '';
  return next.trim() === '' || ITEM.test(next);
}

/** Whether line `i`, no item, is the end of a paragraph that stands between lists. */
function endsList(lines: readonly string[], i: number): boolean {
  const line = lines[i] ?? '';
  if (line.trim() === '' || /^\s/.test(line)) return false;
  if ((lines[i + 1] ?? '').trim() !== '') return false;
  for (let first = i; first >= 0 && (lines[first] ?? '').trim() !== ''; first -= 1) if (ITEM.test(lines[first] ?? '')) return false;
  return true;
}

/** The paragraph, or item, that ends with line `i`. */
function paragraphUpTo(lines: readonly string[], i: number): string {
  let first = i;
  while (first > 0 && !ITEM.test(lines[first] ?? '') && (lines[first - 1] ?? '').trim() !== '') first -= 1;
  return lines.slice(first, i + 1).join('\n');
}

function lastSentence(text: string): string {
  let from = 0;
  for (const match of text.matchAll(SENTENCE_START)) from = match.index + match[0].length;
  return text.slice(Math.max(from, text.lastIndexOf('\n\n') + 1));
}

function negates(sentence: string): boolean {
  const words = sentence.replace(CONDITION, '').match(WORD) ?? [];
  return words.some((word) => isNegator(word) || NEGATING.test(word));
}
