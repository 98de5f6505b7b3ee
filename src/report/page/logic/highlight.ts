import type { QuoteEntry, Tone } from './quotes.ts';

/** A stretch of the document that a quote covers, in UTF-16 units of the whole. */
export type Mark = { readonly start: number; readonly end: number; readonly quote: number; readonly tone: Tone };

/** A stretch with the same quotes all along; `begins`: those whose stretch starts here. */
export type Segment = {
  readonly start: number;
  readonly end: number;
  readonly quotes: readonly number[];
  readonly begins: readonly number[];
  /** Of the worst of the quotes; `null` without one. */
  readonly tone: Tone | null;
};

const WORST: readonly Tone[] = ['rejected', 'near', 'verified'];

/** In order. */
export function marksOf(quotes: readonly QuoteEntry[]): Mark[] {
  const marks = quotes.flatMap(({ number, tone, spans }) => spans.map(({ start, end }) => ({ start, end, quote: number, tone })));
  return marks.filter(({ start, end }) => start < end).sort((a, b) => a.start - b.start);
}

/** `[start, end)` cut wherever a mark begins or ends. */
export function segmentsOf(start: number, end: number, marks: readonly Mark[]): Segment[] {
  const here = marks.filter((mark) => mark.start < end && start < mark.end);
  const edges = new Set([start, end]);
  for (const mark of here) {
    edges.add(Math.max(start, mark.start));
    edges.add(Math.min(end, mark.end));
  }
  const cuts = [...edges].sort((a, b) => a - b);
  return cuts.slice(1).map((stop, index) => segment(cuts[index] ?? start, stop, here));
}

function segment(start: number, end: number, marks: readonly Mark[]): Segment {
  const over = marks.filter((mark) => mark.start <= start && end <= mark.end);
  return {
    start,
    end,
    quotes: over.map(({ quote }) => quote),
    begins: over.filter((mark) => mark.start === start).map(({ quote }) => quote),
    tone: WORST.find((tone) => over.some((mark) => mark.tone === tone)) ?? null,
  };
}
