import type { Span } from '../domain/document.ts';
import { isWorded } from './clean-quote.ts';
import type { EvidenceIndex } from './evidence-index.ts';
import { negationLeftOut } from './guards/clipped.ts';
import { holdsProtected } from './guards/gap.ts';
import { type Hit, lookUp } from './look-up.ts';
import { chainsOf } from './parts.ts';

/** The words outside of the brackets, and where they stand. `diff`: what the brackets put in place of what, when a person must judge it. */
export type Edited = { readonly hits: readonly Hit[]; readonly wording: string; readonly diff: string | null };

const MOST_BRACKETS = 8;
const MOST_CHAINS = 100;
/** Characters of the document that one bracket may stand for: a name, a few words. */
const LONGEST_REPLACED = 80;
/** How near to a place a bracket of the document's own is looked for. */
const BESIDE = 3;
const BRACKET = /\[([^[\]]{0,200})\]/g;
const ONE_LETTER = /\[(\p{L})\](?=\p{L})/gu;
const ENDING = /(?<=\p{L})\[(?:s|es|d|ed|ing)\](?!\p{L})/gu;
const REMARK = /^(?:sic!?|(?:emphasis|italics) (?:added|mine|ours)|(?:our|my) emphasis)$/i;
const PRONOUN = /^(?:it|they|this|these|that|those|he|she|we|its|their|his|her|our|them|him|us)$/i;

/**
 * A quote whose square brackets hold words of the quoter. They are sound when they change a letter's case ("[T]he"), the ending of a word
 * ("block[s]"), remark on it ("[sic]") or put a pronoun in place of a few words; whatever else they hold is for a person to judge (`diff`).
 * Never a negation, number, modal or other protected word, in the brackets or in what they stand for, and never another content of a
 * bracket of the document's own. `null` when there are none, or the rest does not stand in the document.
 */
export function withBrackets(index: EvidenceIndex, cleaned: string, isWhole: boolean): Edited | null {
  const plain = cleaned
    .replace(BRACKET, (bracket, content: string) => (REMARK.test(content.trim()) ? ' ' : bracket))
    .replace(ONE_LETTER, '$1')
    .replace(ENDING, '')
    .trim();
  const contents = [...plain.matchAll(BRACKET)].map((match) => (match[1] ?? '').trim());
  if (contents.length > MOST_BRACKETS || (contents.length === 0 && plain === cleaned.trim())) return null;
  if (/\p{L}\[|\]\p{L}/u.test(plain) || contents.some((content) => content === '' || holdsProtected(content))) return null;
  const segments = plain.split(BRACKET).filter((_, i) => i % 2 === 0);
  const wording = segments.join(' ').replace(/\s+/g, ' ').trim();
  if (!isWorded(wording)) return null;
  const inserted = lookUp(index, wording, isWhole).accepted.filter((hit) => contents.length === 0 || !hasBracket(index, hit));
  const diff = contents.map((content) => `[${content}]`).join(' ');
  const arePronouns = contents.every((content) => PRONOUN.test(content));
  if (inserted.length > 0) {
    // "[They] count the boats": the quote begins behind what the pronoun stands for.
    const isSound = contents.length === 0 || (contents.length === 1 && arePronouns && plain.startsWith('['));
    return { hits: asEdited(inserted), wording, diff: isSound ? null : `… → ${diff}` };
  }
  const replaced = replacedBy(index, segments, isWhole)[0];
  if (replaced === undefined) return null;
  const isSound = arePronouns && contents.length === replaced.gaps.length;
  return { hits: asEdited([replaced.span]), wording, diff: isSound ? null : `${replaced.gaps.join(' … ')} → ${diff}` };
}

function asEdited(hits: readonly Span[]): Hit[] {
  return hits.map(({ start, end }) => ({ start, end, isLiteral: false }));
}

/** Whether the document has a bracket of its own in this span, or directly beside it. */
function hasBracket({ reading }: EvidenceIndex, { start, end }: Span): boolean {
  const { text } = reading;
  return /\]\s*$/.test(text.slice(Math.max(0, start - BESIDE), start)) || /^\s*\[/.test(text.slice(end, end + BESIDE));
}

type Replaced = { readonly span: Span; readonly gaps: readonly string[] };

/** Places where each bracket stands for a few words of the document. */
function replacedBy(index: EvidenceIndex, segments: readonly string[], isWhole: boolean): Replaced[] {
  const worded = segments.map((segment) => segment.trim()).filter(isWorded);
  if (worded.length < 2) return [];
  const places = worded.map((segment) => lookUp(index, segment, false).accepted);
  if (places.some((found) => found.length === 0)) return [];
  return chainsOf(places)
    .filter((chain) => chain.every((hit, i) => isReplaceable(index, chain[i - 1], hit)))
    .slice(0, MOST_CHAINS)
    .flatMap((chain) => replacedIn(index, chain, isWhole));
}

function replacedIn({ reading, marks }: EvidenceIndex, chain: readonly Hit[], isWhole: boolean): Replaced[] {
  const span = { start: chain[0]?.start ?? 0, end: chain.at(-1)?.end ?? 0 };
  if (isWhole && negationLeftOut(reading.text, marks, span) !== null) return [];
  return [{ span, gaps: chain.slice(1).map((hit, i) => reading.text.slice(chain[i]?.end ?? 0, hit.start).trim()) }];
}

function isReplaceable({ reading }: EvidenceIndex, left: Hit | undefined, right: Hit): boolean {
  if (left === undefined) return true;
  const gap = reading.text.slice(left.end, right.start);
  return gap.length <= LONGEST_REPLACED && !/[[\]]|[.!?;:\n]\s/.test(gap) && !holdsProtected(gap);
}
