import { type CanonicalText, positionOf } from '../domain/document.ts';
import type { Evidence, EvidenceTier, RejectionReason } from '../domain/score.ts';
import { cleanQuote, isWorded, measureOf, withoutEdgePunctuation } from './clean-quote.ts';
import { type EvidenceIndex, lowerCaseOf } from './evidence-index.ts';
import { isHarmlessCaseChange } from './guards/case-change.ts';
import { negationLeftOut } from './guards/clipped.ts';
import { isCut, precedesNumber, wholeWords } from './guards/cut.ts';
import { edgesOf } from './guards/edges.ts';
import { foldedDifference } from './guards/folded-marks.ts';
import { joinedDifference } from './guards/joined-words.ts';
import type { Difference, Side } from './match/aligned.ts';
import { markdownMarks } from './match/markdown-marks.ts';
import { type MatchForm, squeeze } from './match/match-form.ts';
import { occurrencesOf } from './match/occurrences.ts';
import { nearestPlace } from './nearest/nearest-place.ts';

export type VerifyOptions = {
  /** Quotes of fewer characters are `too_short`, measured as `measureOf` does. Without a letter or digit they always are. */
  readonly minChars: number;
  /** The page that the model named: an occurrence on it, by number or printed label, is preferred. */
  readonly page?: number | null;
  /** `false` leaves out the search for the nearest place, which costs up to 0.1 s; a quote that is not found is `not_found`. */
  readonly explain?: boolean;
};

type Span = { readonly start: number; readonly end: number };
type Refusal = Span & { readonly reason: RejectionReason; readonly diff: string | null };
type Attempt = {
  readonly tier: EvidenceTier;
  readonly wording: string;
  readonly form: MatchForm;
  /** The model put a punctuation mark of its own behind these words. */
  readonly closed: boolean;
};
type Hits = { readonly accepted: readonly Span[]; readonly refused: Refusal | null };

/** Where two wordings are near, everything below is another text. The search itself bears a quarter of differing characters. */
const SIMILAR = 0.75;

/**
 * Looks a quote up in a document. `verified` only if the document has it: literally (`verbatim`), up to layout (`normalised`), up
 * to punctuation at its edges (`punct`) or a harmless change of case (`case`), and if it neither cuts a word or number in two nor
 * leaves out the negation beside it. Everything else is `rejected`; `altered`, `reworded`, `cut` and `clipped` come with the place
 * and the document's words there. `diff` shows the document's words first: `1023 → 1032`. Never throws.
 */
export function verifyQuote(index: EvidenceIndex, quote: string, options: VerifyOptions): Evidence {
  const cleaned = cleanQuote(quote);
  if (!isWorded(cleaned) || measureOf(cleaned) < options.minChars) return rejected('too_short');
  let refused: Refusal | null = null;
  for (const hits of lookUps(index, cleaned)) {
    if (hits.found.accepted.length > 0) return verified(index.content, hits.attempt, hits.found.accepted, options.page ?? null);
    refused ??= hits.found.refused;
  }
  if (refused !== null) return refusedAt(index.content, refused);
  return options.explain === false ? rejected('not_found') : explained(index, cleaned);
}

/** The ways to find a quote, the strictest first, each looked up only when it is asked for. */
function* lookUps(index: EvidenceIndex, cleaned: string): Generator<{ attempt: Attempt; found: Hits }> {
  const attempts = attemptsFor(index.content, cleaned);
  for (const attempt of attempts) yield { attempt, found: exactHits(index, attempt) };
  for (const attempt of attempts) {
    const folded: Attempt = { ...attempt, tier: 'case' };
    yield { attempt: folded, found: foldedHits(index, folded) };
  }
}

function attemptsFor(content: CanonicalText, cleaned: string): Attempt[] {
  const bare = withoutEdgePunctuation(cleaned);
  const asGiven = formsOf(content, cleaned).map((form): Attempt => ({ tier: 'normalised', wording: cleaned, form, closed: false }));
  if (bare === '' || bare === cleaned) return asGiven;
  const closed = !cleaned.endsWith(bare);
  return [...asGiven, ...formsOf(content, bare).map((form): Attempt => ({ tier: 'punct', wording: bare, form, closed }))];
}

/** A quote from Markdown may hold the marks, or not: both readings are tried. */
function formsOf(content: CanonicalText, wording: string): MatchForm[] {
  const plain = squeeze(wording, null);
  const marks = content.format === 'markdown' ? markdownMarks(wording) : null;
  return marks === null ? [plain] : [squeeze(wording, marks), plain];
}

function exactHits(index: EvidenceIndex, attempt: Attempt): Hits {
  const spans = new Map<number, Span>();
  let refused: Refusal | null = null;
  for (const at of occurrencesOf(index.form.text, attempt.form.text)) {
    const span = spanAt(index.form, at, attempt.form.text.length);
    const verdict = refusalOf(index, attempt, at, span);
    if (verdict === null) spans.set(span.start, span);
    else refused ??= verdict;
  }
  // A literal quote counts even where its match form differs at the edges: "the pre-" in "the pre- and postcondition".
  for (const start of occurrencesOf(index.content.text, attempt.wording)) {
    const span = { start, end: start + attempt.wording.length };
    const verdict = edgeRefusal(index, attempt, span);
    if (verdict === null) spans.set(span.start, span);
    else refused ??= verdict;
  }
  return { accepted: [...spans.values()].sort((a, b) => a.start - b.start), refused };
}

function foldedHits(index: EvidenceIndex, attempt: Attempt): Hits {
  const length = attempt.form.text.length;
  const accepted = occurrencesOf(index.lowerCase(), lowerCaseOf(attempt.form.text)).flatMap((at) => {
    const span = spanAt(index.form, at, length);
    const isHarmless = isHarmlessCaseChange(documentSide(index, at), quoteSide(attempt), length);
    return isHarmless && refusalOf(index, attempt, at, span) === null ? [span] : [];
  });
  return { accepted, refused: null };
}

function documentSide(index: EvidenceIndex, at: number): Side {
  return { source: index.content.text, form: index.form, from: at };
}

function quoteSide(attempt: Attempt): Side {
  return { source: attempt.wording, form: attempt.form, from: 0 };
}

function spanAt(form: MatchForm, at: number, length: number): Span {
  return { start: form.map[at] ?? 0, end: (form.map[at + length - 1] ?? 0) + 1 };
}

/** Why a place with the same match form does not hold the quote; `null` when it does. */
function refusalOf(index: EvidenceIndex, attempt: Attempt, at: number, span: Span): Refusal | null {
  const different = isLiteral(index.content, attempt, span) ? null : differenceIn(documentSide(index, at), attempt);
  if (different !== null) return { ...span, reason: 'altered', diff: `${different.document} → ${different.quote}` };
  return edgeRefusal(index, attempt, span);
}

/** What the match form hides of the document's words and may matter; `null` when it is only layout. */
function differenceIn(document: Side, attempt: Attempt): Difference | null {
  const { length } = attempt.form.text;
  return joinedDifference(document, quoteSide(attempt), length) ?? foldedDifference(document, quoteSide(attempt), length);
}

function edgeRefusal({ content, marks }: EvidenceIndex, attempt: Attempt, span: Span): Refusal | null {
  const { text } = content;
  const leavesNumberOut = attempt.closed && precedesNumber(text, span.end);
  if (leavesNumberOut || isCut(edgesOf(text, marks, span), content.format === 'pdf')) {
    return { ...wholeWords(text, span.start, span.end), reason: 'cut', diff: null };
  }
  const clipped = negationLeftOut(text, marks, span);
  return clipped === null ? null : { ...clipped, reason: 'clipped', diff: null };
}

/** The occurrence on the claimed page, else a literal one, else the first. */
function verified(content: CanonicalText, attempt: Attempt, spans: readonly Span[], page: number | null): Evidence {
  const rank = (span: Span) => (isOnPage(content, span, page) ? 0 : 2) + (isLiteral(content, attempt, span) ? 0 : 1);
  const best = spans.reduce((a, b) => (rank(b) < rank(a) ? b : a));
  return {
    status: 'verified',
    tier: attempt.tier === 'normalised' && isLiteral(content, attempt, best) ? 'verbatim' : attempt.tier,
    reason: null,
    diff: null,
    occurrences: spans.length,
    position: positionOf(content, best.start, best.end),
    text: content.text.slice(best.start, best.end),
  };
}

function isLiteral(content: CanonicalText, attempt: Attempt, span: Span): boolean {
  return span.end - span.start === attempt.wording.length && content.text.startsWith(attempt.wording, span.start);
}

/** Whether any part of the span stands on the page with this number or printed label. */
export function isOnPage(content: CanonicalText, span: { start: number; end: number }, page: number | null): boolean {
  if (page === null) return false;
  return content.pages.some(
    ({ number, label, start, end }) => (number === page || label === String(page)) && start < span.end && span.start < end,
  );
}

function explained(index: EvidenceIndex, cleaned: string): Evidence {
  const nearest = nearestPlace(index, cleaned);
  if (nearest === null || nearest.similarity < SIMILAR) return rejected('not_found');
  return refusedAt(index.content, { ...nearest, reason: nearest.diff === null ? 'reworded' : 'altered' });
}

function refusedAt(content: CanonicalText, { start, end, reason, diff }: Refusal): Evidence {
  return { ...rejected(reason), diff, position: positionOf(content, start, end), text: content.text.slice(start, end) };
}

function rejected(reason: RejectionReason): Evidence {
  return { status: 'rejected', tier: null, reason, diff: null, occurrences: 0, position: null, text: null };
}
