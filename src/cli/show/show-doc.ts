import { mergeSpans } from '../../domain/coverage.ts';
import { type CanonicalText, lastStarted, type Span } from '../../domain/document.ts';
import { oneLine } from '../../domain/hostile-text.ts';
import type { Finding, Score } from '../../domain/score.ts';
import { quoteNotes, verdictOnQuote } from '../../report/evidence-phrases.ts';
import { counted, grouped } from '../../report/phrases.ts';
import { hanging } from '../terminal/hanging.ts';
import { type Colour, painter } from '../terminal/style.ts';
import { type Mark, markedText, paintedMarks, spansOf, worstColour } from './marked-text.ts';
import { evidenceColour } from './show-evidence.ts';

export type DocLook = { readonly columns: number; readonly colour: boolean };

const LINES_AROUND = 10;
const LONGEST_TEXT = 400;
const NUMBER_COLUMNS = 5;
/** Sign, number and rule. */
const MARGIN_COLUMNS = NUMBER_COLUMNS + 6;

/** A quote, and the check that looked it up. */
export type CitedQuote = { readonly check: string; readonly finding: Finding };

/** Every quote that the checks looked up, in their order. */
export function citedQuotes(scores: readonly Score[]): readonly CitedQuote[] {
  return scores.flatMap(({ check, findings }) => findings.map((finding) => ({ check, finding })));
}

/**
 * The passages of a document that the quotes are about, ten lines around each, numbered as evidence counts them. A quote is marked where it
 * stands, with a sign in the margin and what it is worth below its last line. Quotes without a place are listed at the end.
 */
export function docLines(content: CanonicalText, scores: readonly Score[], look: DocLook): string[] {
  const quotes = citedQuotes(scores);
  const [placed, lost] = [true, false].map((hasPlace) => quotes.filter(({ finding }) => spansOf(finding).length > 0 === hasPlace));
  const windows = mergeSpans((placed ?? []).flatMap(({ finding }) => spansOf(finding).map((span) => linesAround(content, span))));
  const passages = windows.flatMap((window, index) => [
    ...gapLines(window.start - (windows[index - 1]?.end ?? 0)),
    ...passageLines(content, placed ?? [], window, look),
  ]);
  if (quotes.length === 0) return [' No check looked up a quote. --json has the whole text.'];
  return [
    ...passages,
    ...gapLines(windows.length === 0 ? 0 : content.lines.start.length - (windows.at(-1)?.end ?? 0)),
    ...lostLines(lost ?? [], look),
  ];
}

/** Indexes of the lines that a span touches, and of some around them. */
function linesAround({ lines: { start: starts } }: CanonicalText, { start, end }: Span): Span {
  const first = starts.findLastIndex((at) => at <= start);
  const last = starts.findLastIndex((at) => at < Math.max(end, start + 1));
  return { start: Math.max(0, first - LINES_AROUND), end: Math.min(starts.length, last + LINES_AROUND + 1) };
}

function gapLines(lines: number): string[] {
  return lines <= 0 ? [] : [` ··· ${counted(lines, 'line')} not shown`];
}

function passageLines(content: CanonicalText, quotes: readonly CitedQuote[], { start: first, end: last }: Span, look: DocLook): string[] {
  const lines: string[] = [];
  for (let index = first; index < last; index += 1) {
    const start = content.lines.start[index] ?? 0;
    const end = content.lines.start[index + 1] ?? content.text.length;
    const here = quotes.filter(({ finding }) => spansOf(finding).some((span) => span.start < end && start < span.end));
    const ending = here.filter(({ finding }) => isLastLine(finding, start, end));
    lines.push(
      ...pageLines(content, index, index === first),
      ...textLines(content, { index, start, end }, here, look),
      ...ending.flatMap((quote) => noteLines(quote, look)),
    );
  }
  return lines;
}

function isLastLine(finding: Finding, start: number, end: number): boolean {
  const lastEnd = Math.max(...spansOf(finding).map((span) => span.end));
  return start < lastEnd && lastEnd <= end;
}

function pageLines({ pages, lines }: CanonicalText, index: number, isFirst: boolean): string[] {
  if (pages.length === 0) return [];
  const pageAt = (line: number) => pages[lastStarted(pages, lines.start[line] ?? 0)];
  const page = pageAt(index);
  if (page === undefined || (!isFirst && page === pageAt(index - 1))) return [];
  const label = page.label === null || page.label === String(page.number) ? '' : ` (printed: ${oneLine(page.label, 20)})`;
  return [` ── page ${page.number}${label} ──`];
}

type TextLine = { readonly index: number; readonly start: number; readonly end: number };

function textLines(content: CanonicalText, { index, start, end }: TextLine, here: readonly CitedQuote[], look: DocLook): string[] {
  const marks: Mark[] = here.flatMap(({ finding }) =>
    spansOf(finding).map((span) => ({ ...span, colour: evidenceColour(finding.evidence) })),
  );
  const colour = worstColour(marks);
  const sign = colour === null ? ' ' : painter(look.colour)(colour, SIGNS[colour] ?? ' ');
  const number = String(content.lines.number[index] ?? index + 1).padStart(NUMBER_COLUMNS);
  const text = markedText(content.text, { start, end }, marks);
  return hanging([` ${sign} ${number} │ ${text}`], look.columns, MARGIN_COLUMNS).map((line) => paintedMarks(line, look.colour));
}

const SIGNS: Partial<Record<Colour, string>> = { green: '✓', yellow: '~', red: '✗' };

/** What a quote is worth, below the last line of where it stands. */
function noteLines({ check, finding }: CitedQuote, { columns, colour }: DocLook): string[] {
  const { diff, status } = finding.evidence;
  const paint = painter(colour);
  const worth = `${verdictOnQuote(finding)}${diff === null ? '' : `: ${oneLine(diff, LONGEST_TEXT)}`}`;
  const said = status === 'verified' ? [] : [`quoted: "${oneLine(finding.quote, LONGEST_TEXT)}"`];
  const blanks = ' '.repeat(MARGIN_COLUMNS);
  const lines = [
    `${oneLine(check)} ${oneLine(finding.at)}: ${worth}`,
    ...said,
    ...quoteNotes(finding, (text) => oneLine(text, LONGEST_TEXT)),
  ];
  const [first = '', ...rest] = hanging(
    lines.map((line) => `${blanks}${line}`),
    columns,
  );
  return [`${blanks.slice(2)}${paint(evidenceColour(finding.evidence), '└')} ${first.trimStart()}`, ...rest];
}

function lostLines(quotes: readonly CitedQuote[], { columns, colour }: DocLook): string[] {
  if (quotes.length === 0) return [];
  const paint = painter(colour);
  const lines = quotes.flatMap(({ check, finding }) => [
    ` ${paint('red', '✗')} ${oneLine(check)} ${oneLine(finding.at)}: ${verdictOnQuote(finding)}`,
    `   "${oneLine(finding.quote, LONGEST_TEXT)}"`,
    ...quoteNotes(finding, (text) => oneLine(text, LONGEST_TEXT)).map((note) => `   ${note}`),
  ]);
  return ['', ` Not found in the document (${grouped(quotes.length)}):`, ...hanging(lines, columns)];
}
