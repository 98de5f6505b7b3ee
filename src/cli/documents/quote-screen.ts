import type { CanonicalText, Span } from '../../domain/document.ts';
import { oneLine } from '../../domain/hostile-text.ts';
import type { Evidence, Finding } from '../../domain/score.ts';
import { quoteNotes, verdictOnQuote } from '../../report/evidence-phrases.ts';
import { counted, grouped } from '../../report/phrases.ts';
import { evidenceColour, placeText } from '../show/show-evidence.ts';
import { folded } from '../terminal/fold.ts';
import type { Paint } from '../terminal/style.ts';

export type QuoteLook = { readonly columns: number; readonly paint: Paint };

type Looked = { readonly name: string; readonly content: CanonicalText; readonly finding: Finding };

const LABEL_COLUMNS = 13;
const FEWEST_COLUMNS = 20;
const LONGEST_QUOTE = 1000;
const LONGEST_PART = 600;
const LONGEST_GAP = 160;
const CONTEXT_UNITS = 120;
const LONGEST_NOTE = 300;

/** `quote` for a person: the verdict, the place, the quote and under it the document's own words `«so»` in what stands around them. */
export function quoteLines({ name, content, finding }: Looked, { columns, paint }: QuoteLook): string[] {
  const { evidence, quote } = finding;
  const word = paint(evidenceColour(evidence), evidence.status.toUpperCase());
  const labelled = (label: string, text: string): string[] => labelledLines(label, text, columns, paint);
  return [
    `${word}  ${verdictText(evidence)} · ${oneLine(name)}`,
    ...labelled(placeLabel(evidence), placeLine(evidence)),
    ...labelled('quote', `"${oneLine(quote, LONGEST_QUOTE)}"`),
    ...labelled('document', documentWords(content, evidence)),
    ...labelled('difference', evidence.diff === null ? '' : `${oneLine(evidence.diff, LONGEST_PART)}   (document → quote)`),
    ...notes(finding, content).flatMap((note) => labelled('note', note)),
  ];
}

function verdictText(evidence: Evidence): string {
  if (evidence.status === 'verified') return evidence.tier ?? 'verbatim';
  const words = verdictOnQuote({ evidence });
  return evidence.status === 'near' ? `${words}: a person must decide` : words;
}

function placeLabel({ status }: Evidence): string {
  return status === 'rejected' ? 'nearest' : 'place';
}

function placeLine({ position, occurrences }: Evidence): string {
  if (position === null) return '';
  const others = occurrences > 1 ? ` · the best of ${grouped(occurrences)} places` : '';
  return `${placeText(position)} · characters ${position.start}–${position.end}${others}`;
}

/** The gap of an elided quote stands between its parts already. */
function notes(finding: Finding, { pages }: CanonicalText): string[] {
  const { evidence, pageClaimed } = finding;
  const told = evidence.status === 'elided' ? { ...finding, evidence: { ...evidence, context: undefined } } : finding;
  const isBeyond = pageClaimed !== null && pages.length > 0 && pageClaimed > pages.length;
  return [
    ...quoteNotes(told, (text) => oneLine(text, LONGEST_NOTE)),
    ...(isBeyond ? [`this document has ${counted(pages.length, 'page')}`] : []),
  ];
}

function documentWords({ text }: CanonicalText, { position, spans }: Evidence): string {
  if (position === null) return '';
  const parts = [...(spans ?? [position])].sort((a, b) => a.start - b.start);
  const words = parts.map(
    (part, index) => `${gapBefore(text, parts[index - 1], part)}«${oneLine(text.slice(part.start, part.end), LONGEST_PART)}»`,
  );
  return `${before(text, position.start)}${words.join('')}${after(text, position.end)}`;
}

function gapBefore(text: string, last: Span | undefined, { start }: Span): string {
  if (last === undefined) return '';
  const gap = text.slice(last.end, start);
  if (gap.length <= LONGEST_GAP) return harmless(gap);
  const half = LONGEST_GAP / 2;
  return `${harmless(gap.slice(0, half))} […] ${harmless(gap.slice(-half))}`;
}

/** From the beginning of a word on. */
function before(text: string, end: number): string {
  const from = Math.max(0, end - CONTEXT_UNITS);
  const context = text.slice(from, end);
  return from === 0 ? harmless(context) : `… ${harmless(context.replace(/^\S*\s+/, ''))}`;
}

function after(text: string, start: number): string {
  const to = Math.min(text.length, start + CONTEXT_UNITS);
  const context = text.slice(start, to);
  return to === text.length ? harmless(context).trimEnd() : `${harmless(context.replace(/\s+\S*$/, ''))} …`;
}

/** On one line, with the blank at either end that tells words apart. */
function harmless(text: string): string {
  const shown = oneLine(text, LONGEST_PART);
  if (shown === '') return text === '' ? '' : ' ';
  return `${/^\s/.test(text) ? ' ' : ''}${shown}${/\s$/.test(text) ? ' ' : ''}`;
}

/** Nothing where there is no text. */
function labelledLines(label: string, text: string, columns: number, paint: Paint): string[] {
  if (text === '') return [];
  const lines = folded(text, Math.max(FEWEST_COLUMNS, columns - LABEL_COLUMNS));
  return lines.map(
    (line, index) => `  ${index === 0 ? paint('dim', label.padEnd(LABEL_COLUMNS - 2)) : ' '.repeat(LABEL_COLUMNS - 2)}${line}`,
  );
}
