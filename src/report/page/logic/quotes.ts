import type { Span } from '../../../domain/document.ts';
import type { Absence, Finding, Score } from '../../../domain/score.ts';

/** How a quote is coloured. */
export type Tone = 'verified' | 'near' | 'rejected';

/** A quote of a job with the number that it has in the list and in the text. */
export type QuoteEntry = {
  readonly number: number;
  readonly check: string;
  readonly finding: Finding;
  readonly tone: Tone;
  /** Stretches of the document: its parts where it has some; empty when it stands nowhere. */
  readonly spans: readonly Span[];
};

/** In the order of the document, then those without a place. */
export function quotesOf(scores: readonly Pick<Score, 'check' | 'findings'>[]): QuoteEntry[] {
  const quotes = scores.flatMap(({ check, findings }) =>
    findings.map((finding) => ({ check, finding, tone: toneOf(finding), spans: spansOf(finding) })),
  );
  const start = (spans: readonly Span[]): number => spans[0]?.start ?? Number.POSITIVE_INFINITY;
  quotes.sort((a, b) => (start(a.spans) === start(b.spans) ? 0 : start(a.spans) - start(b.spans)));
  return quotes.map((quote, index) => ({ number: index + 1, ...quote }));
}

/** `near`, and what no prompt has shown, are for a person to decide. */
function toneOf({ evidence: { status, seen } }: Finding): Tone {
  if (status === 'rejected') return 'rejected';
  return status === 'near' || seen === false ? 'near' : 'verified';
}

function spansOf({ evidence: { spans, position } }: Finding): readonly Span[] {
  if (spans !== undefined && spans.length > 0) return spans.map(({ start, end }) => ({ start, end }));
  return position === null ? [] : [{ start: position.start, end: position.end }];
}

export type AbsenceEntry = { readonly check: string; readonly absence: Absence };

/** Claims that the document does not say something. */
export function absencesOf(scores: readonly Score[]): AbsenceEntry[] {
  return scores.flatMap(({ check, absences = [] }) => absences.map((absence) => ({ check, absence })));
}
