import type { Span } from '../domain/document.ts';
import type { Evidence } from '../domain/score.ts';
import { withBrackets } from './brackets.ts';
import { cleanQuote, isWorded, measureOf } from './clean-quote.ts';
import { elidedQuote } from './elided.ts';
import type { EvidenceIndex } from './evidence-index.ts';
import { elidedEvidence, nearEvidence, refusedEvidence, rejected, verifiedEvidence } from './evidence-of.ts';
import { withdrawnAt } from './guards/withdrawn.ts';
import { withLigatures } from './ligature.ts';
import { type Found, lookUp } from './look-up.ts';
import { nearestPlace } from './nearest/nearest-place.ts';
import type { Claim } from './place/place.ts';
import type { PromptText } from './prompt-text.ts';
import { toSource } from './reading/reading.ts';
import { stitchedParts } from './stitched.ts';

export type VerifyOptions = Claim & {
  /** Quotes of fewer characters are `too_short`, measured as `measureOf` does. Without a letter or digit they always are. */
  readonly minChars: number;
  /** `false` leaves out the search for the nearest place, which costs up to 0.1 s: a quote that is not found is never `near`, `altered` or `reworded`. */
  readonly explain?: boolean | undefined;
  /** The question's own words: a quote of them, and not of the document, is `from_prompt`. */
  readonly promptText?: PromptText | undefined;
  /** The id of another document that has this quote: `from_other_document`. */
  readonly elsewhere?: string | null | undefined;
};

/** Where two wordings are near, everything below is another text. The search itself bears a quarter of differing characters. */
const SIMILAR = 0.75;

/** Places that are looked at for words struck out; nobody strikes out more. */
const MOST_LOOKED_AT = 100;

/**
 * Looks a quote up in a document. `verified` only if the document has it: literally (`verbatim`), up to layout (`normalised`), up
 * to punctuation at its edges (`punct`), a harmless change of case (`case`) or ligatures that a PDF's font spells wrongly (`ligature`), and
 * if it neither cuts a word or number in two nor leaves out the negation beside it. `elided`: its parts stand in order, with an honest
 * ellipsis between them. `near`, for a person to decide: nothing but misspelt words; an editor's bracket that says something of its own; an
 * ellipsis over a number or a coordination; words that are struck out or commented out. Everything else is `rejected`, with the place and the
 * document's words where there is one. `diff` shows the document's words first: `1023 → 1032`. Of several places the one that was seen
 * counts, else one in the part, on the page, on the line that is claimed, else a literal one, else the first. Never throws.
 */
export function verifyQuote(index: EvidenceIndex, quote: string, options: VerifyOptions): Evidence {
  const cleaned = cleanQuote(quote);
  if (!isLongEnough(cleaned, options)) return rejected('too_short');
  const found = lookUp(index, cleaned, true);
  if (found.accepted.length > 0) return standing(index, found, options);
  if (found.refused !== null) return refusedEvidence(index, found.refused, options);
  return repaired(index, cleaned, options) ?? inParts(index, cleaned, options) ?? explained(index, cleaned, options);
}

/** The quote stands; where it does so only in words that are struck out or commented out, a person must judge it. */
function standing(index: EvidenceIndex, { accepted, tier }: Found, options: VerifyOptions): Evidence {
  const kinds = accepted.map((hit, i) =>
    i < MOST_LOOKED_AT ? withdrawnAt(index.content, toSource(index.reading, hit), hit.isLiteral) : null,
  );
  const valid = accepted.filter((_, i) => kinds[i] === null);
  if (valid.length > 0) return verifiedEvidence(index, tier, valid, options);
  const kind = kinds[0] ?? '';
  return nearEvidence(index, accepted.slice(0, 1), `${kind} → not ${kind}`, options);
}

function isLongEnough(cleaned: string, { minChars }: VerifyOptions): boolean {
  return isWorded(cleaned) && measureOf(cleaned) >= minChars;
}

/** The quote with its editor's brackets, or its ligatures, taken for what they are. */
function repaired(index: EvidenceIndex, cleaned: string, options: VerifyOptions): Evidence | null {
  const edited = withBrackets(index, cleaned, true);
  if (edited !== null) {
    if (!isLongEnough(edited.wording, options)) return rejected('too_short');
    if (edited.diff !== null) return nearEvidence(index, edited.hits, edited.diff, options, ['editor_brackets']);
    return verifiedEvidence(index, 'normalised', edited.hits, options, ['editor_brackets']);
  }
  const hits = withLigatures(index, cleaned);
  return hits.length === 0 ? null : verifiedEvidence(index, 'ligature', hits, options);
}

function inParts(index: EvidenceIndex, cleaned: string, options: VerifyOptions): Evidence | null {
  const elided = elidedQuote(index, cleaned);
  if (elided === null) return null;
  switch (elided.kind) {
    case 'elided':
      return elidedEvidence(index, elided.chains, options, elided.isEdited);
    case 'near':
      return nearEvidence(index, elided.chain, elided.diff, options);
    case 'refused':
      return refusedEvidence(index, elided.refusal, options, elided.spans);
    case 'parts':
      return rejected(elided.reason);
    case 'missing':
      return explained(index, elided.part, options);
  }
}

/** Why a quote that stands nowhere does not: what it is like, where else its words are. */
function explained(index: EvidenceIndex, cleaned: string, options: VerifyOptions): Evidence {
  const isOfPrompt = options.promptText?.has(cleaned) === true;
  const likeness = options.explain === false ? null : likenessOf(index, cleaned, options);
  // The prompt's claim instead of the document's: the difference is shown all the same.
  if (isOfPrompt) return { ...(likeness ?? rejected('from_prompt')), status: 'rejected', reason: 'from_prompt' };
  if (likeness !== null) return likeness;
  const source = options.elsewhere ?? null;
  return source === null ? rejected('not_found') : { ...rejected('from_other_document'), source };
}

function likenessOf(index: EvidenceIndex, cleaned: string, options: VerifyOptions): Evidence | null {
  const parts = stitchedParts(index, cleaned);
  if (parts !== null) return refusedEvidence(index, { ...around(parts), reason: 'stitched', diff: null }, options, parts);
  const nearest = nearestPlace(index, cleaned);
  if (nearest === null || nearest.similarity < SIMILAR) return null;
  const { kind, diff, start, end } = nearest;
  if (kind === 'near') return nearEvidence(index, [nearest], diff, options);
  return refusedEvidence(index, { start, end, reason: kind, diff }, options);
}

function around(spans: readonly Span[]): Span {
  return { start: Math.min(...spans.map(({ start }) => start)), end: Math.max(...spans.map(({ end }) => end)) };
}
