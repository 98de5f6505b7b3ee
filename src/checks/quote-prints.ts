import { canonicalJson, type Json } from '../domain/canonical-json.ts';
import type { Span } from '../domain/document.ts';
import type { EvidenceIndex } from '../evidence/evidence-index.ts';
import { verifyQuote } from '../evidence/verify-quote.ts';
import type { MergeInput } from './merge-input.ts';
import { select } from './pointer.ts';

type Quote = { readonly at: string; readonly letters: string; readonly quote: string };

/** The print of one item of one part's array. */
export type PrintOf = (part: number, item: number) => string | null;

/**
 * Prints of the items of an array: quotes in the same fields that stand at the same places, be they with a full stop or without. An item of
 * which no quote stands anywhere is like those that are equal to it. `null` for an item whose words no other part quotes, without a
 * look at the document, and where no check says where quotes stand.
 */
export function quotePrints(input: Omit<MergeInput, 'rule'> & { readonly array: string }, index: () => EvidenceIndex): PrintOf {
  const { array, parts } = input;
  const fields = fieldsIn(input);
  if (fields.length === 0) return () => null;
  const quotes = parts.map(({ answer }) => quotesByItem(array, fields, answer));
  const shared = lettersOfSeveral(quotes);
  const placesOf = placesIn(index);
  return (part, item) => {
    const own = quotes[part]?.get(item) ?? [];
    const near = parts[part];
    if (near === undefined || (own.length > 0 && !shared.has(lettersOf(own)))) return null;
    const places = own.map(({ at, quote }) => [at, placesOf(part, quote, near.part)]);
    if (places.length > 0 && places.every(([, place]) => place !== null)) return canonicalJson(places);
    return canonicalJson(['equal', select(near.answer, `${array}/${item}`)[0]?.value ?? null]);
  };
}

function fieldsIn({ array, checks }: Pick<MergeInput, 'checks'> & { readonly array: string }): readonly string[] {
  const fields = checks.flatMap((check) => (check.type === 'evidence' && check.at.startsWith(`${array}/`) ? [check.at] : []));
  return [...new Set(fields)];
}

/** By the item's place in the array: its quotes, in the order of their fields. */
function quotesByItem(array: string, fields: readonly string[], answer: Json): ReadonlyMap<number, readonly Quote[]> {
  const quotes = new Map<number, Quote[]>();
  for (const { pointer, value } of fields.flatMap((at) => select(answer, at))) {
    if (typeof value !== 'string') continue;
    const [item = '', ...field] = pointer.slice(array.length + 1).split('/');
    const own = quotes.get(Number(item)) ?? [];
    own.push({
      at: field.join('/'),
      letters: value
        .normalize('NFKC')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, ''),
      quote: value,
    });
    quotes.set(Number(item), own);
  }
  return quotes;
}

function lettersOf(quotes: readonly Quote[]): string {
  return canonicalJson(quotes.map(({ at, letters }) => [at, letters]));
}

function lettersOfSeveral(parts: readonly ReadonlyMap<number, readonly Quote[]>[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const items of parts) {
    const here = new Set([...items.values()].map(lettersOf));
    for (const letters of here) (seen.has(letters) ? shared : seen).add(letters);
  }
  return shared;
}

/** Where a part's quote stands, from its first letter to its last; looked up once. */
function placesIn(index: () => EvidenceIndex): (part: number, quote: string, near: Span) => string | null {
  const known = new Map<string, string | null>();
  return (part, quote, near) => {
    const key = `${part} ${quote}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const { status, position, spans } = verifyQuote(index(), quote, { minChars: 1, explain: false, near });
    const isFound = position !== null && status !== 'rejected';
    const place = isFound ? (spans ?? [position]).map((span) => lettersSpan(index().content.text, span)).join() : null;
    known.set(key, place);
    return place;
  };
}

function lettersSpan(text: string, { start, end }: Span): string {
  const words = text.slice(start, end);
  const before = /^[^\p{L}\p{N}]*/u.exec(words)?.[0].length ?? 0;
  return `${start + before}-${start + lastLetterEnd(words)}`;
}

function lastLetterEnd(words: string): number {
  let end = words.length;
  while (end > 0 && !/[\p{L}\p{M}\p{N}\ud800-\udfff]/u.test(words.charAt(end - 1))) end -= 1;
  return end;
}
