import type { Span } from '../domain/document.ts';
import { withBrackets } from './brackets.ts';
import type { EvidenceIndex } from './evidence-index.ts';
import { negationLeftOut } from './guards/clipped.ts';
import { type HiddenWords, hiddenByEllipsis, LONGEST_GAP, shortened } from './guards/gap.ts';
import { type Found, type Hit, lookUp, type Refusal } from './look-up.ts';
import { chainsOf, isLongEnough, MOST_PARTS, partsOf } from './parts.ts';

/** What a quote with an ellipsis comes to. */
export type Elided =
  /** The parts stand in order, and what is left out may be. */
  | { readonly kind: 'elided'; readonly chains: readonly (readonly Hit[])[]; readonly isEdited: boolean }
  /** The same, but a person must see whether what is left out joins two statements, or what an editor's bracket stands for. */
  | { readonly kind: 'near'; readonly chain: readonly Hit[]; readonly diff: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly spans: readonly Span[] }
  /** The parts are too short to be looked up, or too many. */
  | { readonly kind: 'parts'; readonly reason: 'too_short' | 'stitched' }
  /** The document does not have this part. */
  | { readonly kind: 'missing'; readonly part: string };

/** Combinations of places that are looked at, the narrowest first. */
const MOST_CHAINS = 100;
const BESIDE = 40;
/** Characters of the words left out that a difference shows. */
const SHOWN = 160;
type Chain = readonly Hit[];

/**
 * A quote whose words stand in the document but for what an ellipsis says to be left out: each part is looked up by itself, and they stand
 * in order, at most 12,000 characters apart. Refused: parts in another order or too far apart (`stitched`), and an ellipsis that hides a
 * negation, number, comparison, condition, modal or quantifier of the sentence that it stands in (`altered`, with that word). `null` without an ellipsis.
 */
export function elidedQuote(index: EvidenceIndex, cleaned: string): Elided | null {
  const parts = partsOf(cleaned);
  if (parts.length < 2) return null;
  if (parts.length > MOST_PARTS) return { kind: 'parts', reason: 'stitched' };
  const places: (readonly Hit[])[] = [];
  const lookedUp = new Map<string, Found>();
  let isEdited = false;
  let bracketed: string | null = null;
  for (const part of parts) {
    const found = lookedUp.get(part) ?? lookUp(index, part, false);
    lookedUp.set(part, found);
    const edited = found.accepted.length === 0 ? withBrackets(index, part, false) : null;
    isEdited ||= edited !== null;
    bracketed ??= edited?.diff ?? null;
    const accepted = edited?.hits ?? found.accepted;
    if (accepted.length === 0) return found.refused === null ? { kind: 'missing', part } : refused(found.refused, places.flatMap(firstOf));
    places.push(accepted);
  }
  if (!parts.every(isLongEnough)) return { kind: 'parts', reason: 'too_short' };
  const outcome = chained(index, places);
  if (outcome.kind !== 'elided') return outcome;
  return bracketed === null ? { ...outcome, isEdited } : { kind: 'near', chain: outcome.chains[0] ?? [], diff: bracketed };
}

function chained(index: EvidenceIndex, places: readonly (readonly Hit[])[]): Elided {
  const chains = chainsOf(places)
    .sort((a, b) => extentOf(a) - extentOf(b))
    .slice(0, MOST_CHAINS);
  const refusals = chains.map((chain) => refusalOf(index, chain));
  const allowed = chains.filter((_, i) => refusals[i] === null);
  const sound = allowed.filter((chain) => gapsOf(index, chain).every(({ hidden }) => hidden === null));
  if (sound.length > 0) return { kind: 'elided', chains: sound, isEdited: false };
  const [doubtful] = allowed;
  if (doubtful !== undefined)
    return { kind: 'near', chain: doubtful, diff: `${shortened(longestGap(index.reading.text, doubtful), SHOWN)} → …` };
  const nearest = refusals[0];
  if (nearest !== undefined && nearest !== null) return refused(nearest, chains[0] ?? []);
  return refused(stitchedOf(places.flatMap(firstOf)), places.flatMap(firstOf));
}

function refused(refusal: Refusal, spans: readonly Span[]): Elided {
  return { kind: 'refused', refusal, spans };
}

function firstOf(places: readonly Hit[]): Hit[] {
  return places.slice(0, 1);
}

function extentOf(chain: Chain): number {
  return (chain.at(-1)?.end ?? 0) - (chain[0]?.start ?? 0);
}

function stitchedOf(spans: readonly Span[]): Refusal {
  const start = Math.min(...spans.map((span) => span.start));
  return { start, end: Math.max(...spans.map((span) => span.end)), reason: 'stitched', diff: null };
}

type Joint = { readonly left: Hit; readonly right: Hit; readonly hidden: HiddenWords | null };

function gapsOf({ reading: { text } }: EvidenceIndex, chain: Chain): Joint[] {
  return chain.slice(1).flatMap((right, i) => {
    const left = chain[i];
    if (left === undefined) return [];
    const gap = text.slice(left.end, right.start);
    return [
      { left, right, hidden: hiddenByEllipsis(text.slice(left.start, left.end), gap, text.slice(right.start, right.start + BESIDE)) },
    ];
  });
}

function refusalOf(index: EvidenceIndex, chain: Chain): Refusal | null {
  for (const { left, right, hidden } of gapsOf(index, chain)) {
    if (right.start - left.end > LONGEST_GAP) return stitchedOf(chain);
    if (hidden?.kind === 'binding') return { start: left.start, end: right.end, reason: 'altered', diff: `${hidden.word} → …` };
  }
  return clippedPart(index, chain);
}

/** The first part that leaves out a negation beside it which no other part has. */
function clippedPart(index: EvidenceIndex, chain: readonly Span[]): Refusal | null {
  for (const [i, part] of chain.entries()) {
    const clipped = negationLeftOut(index.reading.text, index.marks, part);
    if (clipped === null) continue;
    const isBefore = clipped.start < part.start;
    const hasIt = isBefore ? clipped.start < (chain[i - 1]?.end ?? 0) : clipped.end > (chain[i + 1]?.start ?? Number.POSITIVE_INFINITY);
    if (!hasIt) return { ...clipped, reason: 'clipped', diff: null };
  }
  return null;
}

/** The words between the parts of a chain, the longest of the gaps. */
export function longestGap(text: string, chain: Chain): string {
  let longest = '';
  for (let i = 1; i < chain.length; i += 1) {
    const gap = text.slice(chain[i - 1]?.end ?? 0, chain[i]?.start ?? 0).trim();
    if (gap.length > longest.length) longest = gap;
  }
  return longest;
}
