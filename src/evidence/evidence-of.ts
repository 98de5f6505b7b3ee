import { type CanonicalText, positionOf, type Span } from '../domain/document.ts';
import type { Evidence, EvidenceMark, EvidenceTier, RejectionReason } from '../domain/score.ts';
import { longestGap } from './elided.ts';
import type { EvidenceIndex } from './evidence-index.ts';
import { edgesOf } from './guards/edges.ts';
import { shortened } from './guards/gap.ts';
import { isAtGlue } from './guards/glue.ts';
import { negatedLeadIn } from './guards/lead-in.ts';
import type { Hit, Refusal } from './look-up.ts';
import { type Claim, isInside, misfit } from './place/place.ts';
import { toSource } from './reading/reading.ts';

const LONGEST_CONTEXT = 400;
/** A stitched quote spans a document; its parts are what is shown. */
const BETWEEN_PARTS = ' […] ';

/** A rejection without a place. */
export function rejected(reason: RejectionReason): Evidence {
  return { status: 'rejected', tier: null, reason, diff: null, occurrences: 0, position: null, text: null };
}

/** A rejection with the place that the quote is like; `parts` are the places of its parts, where it has some. */
export function refusedEvidence(index: EvidenceIndex, refusal: Refusal, claim: Claim, parts: readonly Span[] = []): Evidence {
  const place = toSource(index.reading, refusal);
  const spans = parts.map((part) => toSource(index.reading, part));
  const isStitched = refusal.reason === 'stitched' && spans.length > 1;
  return {
    ...rejected(refusal.reason),
    diff: refusal.diff,
    position: positionOf(index.content, place.start, place.end),
    text: isStitched ? joined(index.content, spans) : index.content.text.slice(place.start, place.end),
    ...seenOf(claim, isStitched ? spans : [place]),
    ...(spans.length > 1 ? { spans } : {}),
    ...(refusal.context === undefined ? {} : { context: refusal.context }),
  };
}

/** A quote for a person to judge, with the place that it is of and what it makes of that. Spans in order, at least one. */
export function nearEvidence(
  index: EvidenceIndex,
  spans: readonly Span[],
  diff: string | null,
  claim: Claim,
  marks: readonly EvidenceMark[] = [],
): Evidence {
  const place = { start: spans[0]?.start ?? 0, end: spans.at(-1)?.end ?? 0 };
  return {
    ...refusedEvidence(index, { ...place, reason: 'reworded', diff }, claim, spans),
    status: 'near',
    reason: null,
    ...(marks.length > 0 ? { marks } : {}),
  };
}

/** A quote that stands, at the place that fits the claim best. */
export function verifiedEvidence(
  index: EvidenceIndex,
  tier: EvidenceTier,
  hits: readonly Hit[],
  claim: Claim,
  marks: readonly EvidenceMark[] = [],
): Evidence {
  const { content, reading, marks: hidden } = index;
  const placed = hits.map((hit) => ({ hit, place: toSource(reading, hit) }));
  const { hit, place } = bestOf(placed, (one) => misfit(content, one.place, claim) * 2 + (one.hit.isLiteral ? 0 : 1));
  const leadIn = negatedLeadIn(reading.text, hit.start);
  const found: EvidenceMark[] = [
    ...(isAtGlue(edgesOf(reading.text, hidden, hit)) ? (['boundary'] as const) : []),
    ...(leadIn === null ? [] : (['negated_lead_in'] as const)),
    ...marks,
  ];
  return {
    status: 'verified',
    tier: tier === 'normalised' && hit.isLiteral ? 'verbatim' : tier,
    reason: null,
    diff: null,
    occurrences: hits.length,
    position: positionOf(content, place.start, place.end),
    text: content.text.slice(place.start, place.end),
    ...seenOf(claim, [place]),
    ...(found.length > 0 ? { marks: found } : {}),
    ...(leadIn === null ? {} : { context: leadIn }),
  };
}

/** A quote with an honest ellipsis; of several combinations of places the one that fits the claim best, else the narrowest. */
export function elidedEvidence(index: EvidenceIndex, chains: readonly (readonly Hit[])[], claim: Claim, isEdited: boolean): Evidence {
  const { content, reading } = index;
  const placed = chains.map((chain) => ({ chain, spans: chain.map((hit) => toSource(reading, hit)) }));
  const { chain, spans } = bestOf(placed, (one) => one.spans.reduce((sum, span) => sum + misfit(content, span, claim), 0));
  return {
    status: 'elided',
    tier: null,
    reason: null,
    diff: null,
    occurrences: chains.length,
    position: positionOf(content, spans[0]?.start ?? 0, spans.at(-1)?.end ?? 0),
    text: joined(content, spans),
    ...seenOf(claim, spans),
    ...(isEdited ? { marks: ['editor_brackets'] as const } : {}),
    spans,
    context: shortened(longestGap(reading.text, chain), LONGEST_CONTEXT),
  };
}

/** The first of the best. Not empty. */
function bestOf<T>(all: readonly T[], misfitOf: (one: T) => number): T {
  return all.map((one) => ({ one, value: misfitOf(one) })).reduce((a, b) => (b.value < a.value ? b : a)).one;
}

function joined(content: CanonicalText, spans: readonly Span[]): string {
  return spans.map(({ start, end }) => content.text.slice(start, end)).join(BETWEEN_PARTS);
}

function seenOf({ seen }: Claim, spans: readonly Span[]): { readonly seen?: boolean } {
  return seen === undefined ? {} : { seen: spans.every((span) => isInside(seen, span)) };
}
