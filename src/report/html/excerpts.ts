import { mergeSpans } from '../../domain/coverage.ts';
import { type CanonicalText, positionOf, type Span } from '../../domain/document.ts';
import type { Score } from '../../domain/score.ts';
import type { ReportDocument } from './report-data.ts';

type ReportExcerpt = ReportDocument['excerpts'][number];
type Jumps = NonNullable<ReportExcerpt['jumps']>;

const LINES_AROUND = 15;
/** Of a line as long as a book its surroundings are enough. */
const MOST_CHARACTERS_AROUND = 4000;

/** The places of a document that quotes are about: where they stand, or what comes nearest to them. */
export function citedSpans(scores: readonly Score[]): readonly Span[] {
  return scores.flatMap(({ findings }) =>
    findings.flatMap(({ evidence: { position, spans = [] } }) =>
      [...(position === null ? [] : [position]), ...spans].map(({ start, end }) => ({ start, end })),
    ),
  );
}

/** The cited places with so many lines before and after each; what overlaps or touches is one excerpt. */
export function citedExcerpts(content: CanonicalText, cited: readonly Span[], linesAround = LINES_AROUND): ReportDocument {
  const around = mergeSpans(cited).map((span) => withLines(content, span, linesAround));
  return { excerpts: mergeSpans(around).map((span) => excerpt(content, span)) };
}

/** The whole text. */
export function wholeText(content: CanonicalText): ReportDocument {
  return { excerpts: content.text === '' ? [] : [excerpt(content, { start: 0, end: content.text.length })] };
}

function withLines({ text, lines }: CanonicalText, { start, end }: Span, around: number): Span {
  const first = lineAt(lines.start, start) - around;
  const last = lineAt(lines.start, Math.max(start, end - 1)) + around;
  const from = Math.max(first < 0 ? 0 : (lines.start[first] ?? 0), start - MOST_CHARACTERS_AROUND);
  const to = Math.min(lines.start[last + 1] ?? text.length, end + MOST_CHARACTERS_AROUND);
  return { start: wholeCharacter(text, Math.max(0, from)), end: wholeCharacter(text, Math.min(text.length, to)) };
}

/** Never between the two halves of one character. */
function wholeCharacter(text: string, offset: number): number {
  const isInside = /[\udc00-\udfff]/.test(text[offset] ?? '') && /[\ud800-\udbff]/.test(text[offset - 1] ?? '');
  return isInside ? offset - 1 : offset;
}

function excerpt(content: CanonicalText, { start, end }: Span): ReportExcerpt {
  const { line, page } = positionOf(content, start, end);
  const jumps = jumpsIn(content, { start, end }, { line, page });
  return { start, text: content.text.slice(start, end), line, page, ...(jumps.length === 0 ? {} : { jumps }) };
}

type Place = { readonly line: number; readonly page: number | null };

function jumpsIn(content: CanonicalText, { start, end }: Span, first: Place): Jumps {
  const jumps: Jumps[number][] = [];
  let before = first;
  const starts = content.lines.start;
  for (let index = lineAt(starts, start) + 1; index < starts.length; index += 1) {
    const at = starts[index] ?? end;
    if (at >= end) break;
    const { line, page } = positionOf(content, at, at);
    if (line !== before.line + 1 || page !== before.page) jumps.push({ at, line, page });
    before = { line, page };
  }
  return jumps;
}

/** Index of the line that holds an offset. */
function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
