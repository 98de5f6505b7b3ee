import type { Span } from '../domain/document.ts';
import type { EvidenceTier, RejectionReason } from '../domain/score.ts';
import { cleanQuote, measureOf, withoutEdgePunctuation } from './clean-quote.ts';
import { type EvidenceIndex, lowerCaseOf } from './evidence-index.ts';
import { isHarmlessCaseChange } from './guards/case-change.ts';
import { negationLeftOut } from './guards/clipped.ts';
import { cutOf, precedesNumber, wholeWords } from './guards/cut.ts';
import { cutPlace } from './guards/cut-place.ts';
import { edgesOf } from './guards/edges.ts';
import { foldedDifference } from './guards/folded-marks.ts';
import { joinedDifference } from './guards/joined-words.ts';
import { isCutByLimit } from './guards/length-limit.ts';
import type { Difference, Side } from './match/aligned.ts';
import { barsOfQuote, bothOf, cellDifference } from './match/cells.ts';
import { markdownMarks } from './match/markdown-marks.ts';
import { type MatchForm, squeeze } from './match/match-form.ts';
import { occurrencesOf } from './match/occurrences.ts';
import { withoutEntities } from './reading/entities.ts';
import { type Hidden, hiddenDifference } from './reading/hidden.ts';
import { withoutCitationNumbers } from './reading/latex-marks.ts';
import { hasMarkdownMarks } from './reading/read-as.ts';
import { fromSource, hiddenIn, type Place, placeInHidden, toSource } from './reading/reading.ts';

/** A place of the reading, and whether the canonical text there is the quote, character by character. */
export type Hit = Place & { readonly isLiteral: boolean };
/** A place of the reading that has the words, and why it does not hold the quote. */
export type Refusal = Span & {
  readonly reason: RejectionReason;
  readonly diff: string | null;
  /** Of `cut`: some words around the place. */
  readonly context?: string;
};
export type Found = { readonly tier: EvidenceTier; readonly accepted: readonly Hit[]; readonly refused: Refusal | null };

type Attempt = {
  readonly tier: EvidenceTier;
  readonly wording: string;
  readonly form: MatchForm;
  /** Marks of Markdown that the form leaves out. */
  readonly marks: Uint8Array | null;
  /** What marks of the quote say that its words do not. */
  readonly hidden: readonly Hidden[];
  /** The model put a punctuation mark of its own behind these words. */
  readonly closed: boolean;
  /** The words are all of a quote, so that a negation beside them is left out. Of a part, its neighbours may have it. */
  readonly isWhole: boolean;
};

/**
 * Where the document has these words: literally, up to layout, up to punctuation at the edges, or up to a harmless change of case; the
 * strictest way that is accepted counts, each looked up only when it is needed. `refused`: the first place that has them and was not
 * accepted.
 */
export function lookUp(index: EvidenceIndex, cleaned: string, isWhole: boolean): Found {
  let refused: Refusal | null = null;
  for (const found of lookUps(index, cleaned, isWhole)) {
    if (found.accepted.length > 0) return found;
    refused ??= found.refused;
  }
  return { tier: 'normalised', accepted: [], refused };
}

function* lookUps(index: EvidenceIndex, cleaned: string, isWhole: boolean): Generator<Found> {
  const attempts = attemptsFor(index, cleaned, isWhole);
  for (const attempt of attempts) yield exactHits(index, attempt);
  for (const attempt of attempts) yield foldedHits(index, { ...attempt, tier: 'case' });
}

function attemptsFor(index: EvidenceIndex, cleaned: string, isWhole: boolean): Attempt[] {
  const attempts = new Map<string, Attempt>();
  for (const { wording, hidden } of wordingsOf(index, cleaned)) {
    const bare = withoutEdgePunctuation(wording);
    const shift = wording.indexOf(bare);
    const within = hidden.map((one) => ({ ...one, at: one.at - shift })).filter(({ at }) => at >= 0 && at <= bare.length);
    add(attempts, index, { tier: 'normalised', wording, hidden, closed: false, isWhole });
    if (bare !== '') add(attempts, index, { tier: 'punct', wording: bare, hidden: within, closed: !wording.endsWith(bare), isWhole });
  }
  return [...attempts.values()].sort((a, b) => Number(a.tier === 'punct') - Number(b.tier === 'punct'));
}

/** A quote from Markdown may hold the marks, or not, and one from a table its bars: every reading is tried. */
function add(attempts: Map<string, Attempt>, { content, hasTable }: EvidenceIndex, attempt: Omit<Attempt, 'form' | 'marks'>): void {
  const marked = hasMarkdownMarks(content.format) ? markdownMarks(attempt.wording) : null;
  const bars = hasTable ? barsOfQuote(attempt.wording) : null;
  for (const marks of marked === null ? [null] : [marked, null]) {
    for (const dropped of bars === null ? [marks] : [marks, bothOf(marks, bars)]) {
      const form = squeeze(attempt.wording, dropped);
      const key = [attempt.wording, form.text, JSON.stringify(attempt.hidden)].join('\u0000');
      if (!attempts.has(key)) attempts.set(key, { ...attempt, form, marks });
    }
  }
}

type Wording = { readonly wording: string; readonly hidden: readonly Hidden[] };

/** The quote as it is, as its format is read, and with its entities as characters. */
function wordingsOf(index: EvidenceIndex, cleaned: string): Wording[] {
  const readings = [index.read(cleaned), ...(index.content.format === 'latex' ? [withoutCitationNumbers(cleaned)] : [])];
  return [
    { wording: cleaned, hidden: [] },
    ...readings.map((reading) => {
      const wording = cleanQuote(reading.text);
      const shift = Math.max(0, reading.text.indexOf(wording));
      const hidden = hiddenIn(reading, { start: 0, end: reading.text.length });
      return { wording, hidden: hidden.map((one) => ({ ...one, at: Math.min(wording.length, Math.max(0, one.at - shift)) })) };
    }),
    { wording: cleanQuote(withoutEntities(cleaned)), hidden: [] },
  ];
}

function exactHits(index: EvidenceIndex, attempt: Attempt): Found {
  const hits = new Map<number, Hit>();
  let refused: Refusal | null = null;
  const judge = (span: Place, verdict: Refusal | null) => {
    if (verdict === null) hits.set(span.start, { ...span, isLiteral: isLiteral(index, attempt, span) });
    else refused ??= verdict;
  };
  for (const at of occurrencesOf(index.form.text, attempt.form.text)) {
    const span = spanAt(index.form, at, attempt.form.text.length);
    judge(span, refusalOf(index, attempt, at, span));
  }
  // A literal quote counts even where its match form differs at the edges: "the pre-" in "the pre- and postcondition".
  for (const start of attempt.hidden.length > 0 ? [] : occurrencesOf(index.content.text, attempt.wording)) {
    const source = { start, end: start + attempt.wording.length };
    const span = fromSource(index.reading, source);
    const place = span ?? placeInHidden(index.reading, source);
    if (place !== null)
      judge(place, span === null ? edgeRefusalAsWritten(index, attempt, place, source) : edgeRefusal(index, attempt, span));
  }
  const accepted = [...hits.values()].sort((a, b) => a.start - b.start);
  return { tier: attempt.tier, accepted, refused };
}

function foldedHits(index: EvidenceIndex, attempt: Attempt): Found {
  const { length } = attempt.form.text;
  const accepted = occurrencesOf(index.lowerCase(), lowerCaseOf(attempt.form.text)).flatMap((at) => {
    const span = spanAt(index.form, at, length);
    const isHarmless = isHarmlessCaseChange(documentSide(index, at), quoteSide(attempt), length);
    return isHarmless && refusalOf(index, attempt, at, span) === null ? [{ ...span, isLiteral: false }] : [];
  });
  return { tier: attempt.tier, accepted, refused: null };
}

function documentSide(index: EvidenceIndex, at: number): Side {
  return { source: index.reading.text, form: index.form, from: at, dropped: index.marks };
}

function quoteSide(attempt: Attempt): Side {
  return { source: attempt.wording, form: attempt.form, from: 0, dropped: attempt.marks };
}

function spanAt(form: MatchForm, at: number, length: number): Span {
  return { start: form.map[at] ?? 0, end: (form.map[at + length - 1] ?? 0) + 1 };
}

/** Why a place with the same match form does not hold the quote; `null` when it does. */
function refusalOf(index: EvidenceIndex, attempt: Attempt, at: number, span: Span): Refusal | null {
  const different = isLiteral(index, attempt, span) ? null : differenceIn(index, documentSide(index, at), attempt);
  if (different !== null) return { ...span, reason: 'altered', diff: `${different.document} → ${different.quote}` };
  return edgeRefusal(index, attempt, span);
}

/** What the match form hides of the document's words and may matter; `null` when it is only layout. */
function differenceIn(index: EvidenceIndex, document: Side, attempt: Attempt): Difference | null {
  const { length } = attempt.form.text;
  const quote = quoteSide(attempt);
  return (
    joinedDifference(document, quote, length, index.content.format === 'pdf') ??
    foldedDifference(document, quote, length) ??
    (index.hasTable ? cellDifference(document, quote, length) : null) ??
    hiddenDifference(document, index.reading, quote, attempt.hidden, length)
  );
}

function edgeRefusal({ content, reading, marks }: EvidenceIndex, attempt: Attempt, span: Span): Refusal | null {
  return refusalAtEdges(reading.text, marks, content.format === 'pdf', attempt, span);
}

/** Of a quote that begins or ends in what a reader does not see: the file's own words count. */
function edgeRefusalAsWritten({ content }: EvidenceIndex, attempt: Attempt, place: Place, source: Span): Refusal | null {
  const refusal = refusalAtEdges(content.text, null, false, attempt, source);
  return refusal === null ? null : { ...refusal, ...place };
}

function refusalAtEdges(text: string, marks: Uint8Array | null, isGlued: boolean, attempt: Attempt, span: Span): Refusal | null {
  const edges = edgesOf(text, marks, span);
  const cut = cutOf(edges, isGlued);
  const isExcused = cut === 'end' && !attempt.closed && isCutByLimit(edges, measureOf(attempt.wording));
  if ((cut !== null && !isExcused) || (attempt.closed && precedesNumber(text, span.end))) {
    const context = cutPlace(text, span, cut ?? 'end');
    return { ...wholeWords(text, span.start, span.end), reason: 'cut', diff: null, context };
  }
  const clipped = attempt.isWhole ? negationLeftOut(text, marks, span, attempt.closed) : null;
  return clipped === null ? null : { ...clipped, reason: 'clipped', diff: null };
}

function isLiteral({ content, reading }: EvidenceIndex, attempt: Attempt, span: Place): boolean {
  const { start, end } = toSource(reading, span);
  return attempt.hidden.length === 0 && end - start === attempt.wording.length && content.text.startsWith(attempt.wording, start);
}
