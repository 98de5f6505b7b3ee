import { CHARACTER, classAt } from './match/characters.ts';

const PAGE_ANCHOR = /\[\[p(?:age)?\s*\d+\]\]/gi;
/** Opening marks and the closing ones that may pair with them. */
const PAIRS: ReadonlyMap<string, string> = new Map([
  ['"', '"\u201d'],
  ["'", "'\u2019"],
  ['\u201c', '\u201d\u201c"'],
  ['\u201e', '\u201c\u201d"'],
  ['\u2018', "\u2019\u2018'"],
  ['\u201a', '\u2018\u2019'],
  ['\u00ab', '\u00bb'],
  ['\u00bb', '\u00ab'],
  ['\u2039', '\u203a'],
  ['`', '`'],
]);

/**
 * The model's words without what it put around them: NFC, page anchors out, outer white space and one outer pair of quotation
 * marks off. Never throws; may be empty.
 */
export function cleanQuote(quote: string): string {
  const text = quote.replace(PAGE_ANCHOR, ' ').normalize('NFC').trim();
  const closing = PAIRS.get(text[0] ?? '');
  const inner = text.slice(1, -1);
  if (closing === undefined || text.length < 2 || !closing.includes(text.at(-1) ?? '')) return text;
  return hasMark(inner, text[0], closing) ? text : inner.trim();
}

/** `"a" and "b"`: the outer marks are no pair. */
function hasMark(inner: string, opening: string | undefined, closing: string): boolean {
  const isApostrophe = opening === "'" || opening === '\u2018';
  const marks = [opening ?? '', ...closing];
  return !isApostrophe && marks.some((mark) => inner.includes(mark));
}

const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u00ad]/u;
const LEADING = /["'\u2018-\u201f\u00ab\u00bb\s]/;
const TRAILING = /[.,;:\u2026"'\u2018-\u201f\u00ab\u00bb\s]/;

/** "... the device", "[…] the device", ", the device": not the point of ".5". */
const LEAD = /^(?:(?:\[\s*)?(?:\.{3,}|…)(?:\s*\])?|[.,;:](?=\s))[\s"'\u2018-\u201f]*/;
const END_BRACKET = /\[\s*(?:\.{3,}|…)\s*\]$/;

/** The quote without punctuation, quotation marks and ellipses at its edges: what a writer adds to make a quote a sentence. */
export function withoutEdgePunctuation(quote: string): string {
  const led = quote.slice(LEAD.exec(quote)?.[0].length ?? 0);
  const cleaned = led.slice(0, END_BRACKET.exec(led)?.index ?? led.length);
  let start = 0;
  let end = cleaned.length;
  while (start < end && LEADING.test(cleaned.charAt(start))) start += 1;
  while (end > start && TRAILING.test(cleaned.charAt(end - 1))) end -= 1;
  return cleaned.slice(start, end);
}

/** Whether there is anything to look up: a row of signs stands in many a document and says nothing. */
export function isWorded(cleaned: string): boolean {
  return /[\p{L}\p{N}]/u.test(cleaned);
}

/**
 * The length of a quote in characters as a person counts them: without punctuation at its edges and without what cannot be seen; white
 * space, and a row of the same sign, count one. So nothing can be padded.
 */
export function measureOf(cleaned: string): number {
  let count = 0;
  let last = '';
  for (const character of withoutEdgePunctuation(withoutUnseen(cleaned))) {
    const kind = classAt(character, 0);
    const counted = kind === CHARACTER.space ? ' ' : character;
    const isPadding = counted === last && kind !== CHARACTER.letter && kind !== CHARACTER.digit;
    if (!isPadding) count += 1;
    last = counted;
  }
  return count;
}

function withoutUnseen(text: string): string {
  return Array.from(text, (character) => (classAt(character, 0) === CHARACTER.ignored || UNSEEN.test(character) ? '' : character)).join('');
}
