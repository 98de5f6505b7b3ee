import { type Assembled, assemble, type DraftLine } from '../assemble.ts';
import type { FormatContent } from '../content.ts';
import { NORMALISER } from '../normalise.ts';
import { numberedHeading } from '../numbered-headings.ts';
import type { Heading } from '../sections.ts';
import { splitLines } from '../split-lines.ts';
import { type RfcPage, rfcPages } from './rfc-pages.ts';

const ENDS_A_SENTENCE = /[.?!:;]["')\]]*$/;
const APPENDIX = /^(?:Appendix\s+[A-Z](?:\.\d+)*\b|[A-Z](?:\.\d{1,3})+\.?\s)/;
const UNNUMBERED =
  /^(?:Abstract|Status of This Memo|Copyright Notice|Table of Contents|IESG Note|Acknowledge?ments?|Contributors|References|Authors?['’]? ?s?['’]? Address(?:es)?|Full Copyright Statement|Intellectual Property(?: Statement)?|Index)$/i;

/**
 * Content of an RFC or Internet-Draft in text form: pages by form feed, without headers and footers, paragraphs joined over page
 * breaks; line numbers are the file's. Sections are the headings at column 0.
 */
export function readRfc(text: string): FormatContent {
  const pages = rfcPages(splitLines(text));
  const isPaged = pages.length > 1;
  const names = isPaged ? pages.map((page, index) => ({ number: index + 1, label: page.label })) : [];
  const assembled = assemble(joinPages(pages), names);
  const stripped = pages.flatMap((page) => page.stripped);
  return {
    format: 'rfc',
    extractor: `rfc@1+${NORMALISER}`,
    title: titleOf(pages[0]?.lines ?? []),
    assembled,
    headings: headingsOf(assembled),
    warnings: stripped.length === 0 ? [] : [`${stripped.length} page headers and footers removed, such as "${stripped[0]}"`],
  };
}

function joinPages(pages: readonly RfcPage[]): readonly DraftLine[] {
  const joined: DraftLine[] = [];
  for (const page of pages) {
    const before = joined.at(-1);
    const after = page.lines[0];
    if (before !== undefined && after !== undefined && !continues(before.text, after.text)) joined.push({ ...before, text: '' });
    for (const line of page.lines) joined.push(line);
  }
  return joined;
}

/** Whether a paragraph goes on over a page break: no end of a sentence before it, and text at the same indentation after it. */
function continues(before: string, after: string): boolean {
  if (ENDS_A_SENTENCE.test(before.trimEnd())) return false;
  const deeper = indentOf(after) - indentOf(before);
  return deeper === 0 || (deeper > 0 && /^\s*[a-z]/.test(after));
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** The indented paragraph below the header block of the first page. */
function titleOf(lines: readonly DraftLine[]): string | null {
  const blank = lines.findIndex((line) => line.text.trim() === '');
  const below = blank < 0 ? [] : lines.slice(blank);
  const start = below.findIndex((line) => line.text.trim() !== '');
  if (start < 0) return null;
  const rest = below.slice(start);
  const end = rest.findIndex((line) => line.text.trim() === '');
  const paragraph = rest.slice(0, end < 0 ? rest.length : end).map((line) => line.text);
  if (paragraph.length > 4 || paragraph.some((line) => indentOf(line) < 4)) return null;
  return paragraph.filter((line) => !/^\s*<?draft-\S+>?\s*$/.test(line)).join(' ');
}

function headingsOf(assembled: Assembled): readonly Heading[] {
  const lines = assembled.text.split('\n');
  const pageStarts = new Set(assembled.pages.map((page) => page.start));
  const headings: Heading[] = [];
  for (const [index, line] of lines.entries()) {
    const start = assembled.lines.start[index] ?? 0;
    if ((lines[index - 1] ?? '') !== '' && !pageStarts.has(start)) continue;
    const level = levelOf(line);
    if (level !== null) headings.push({ title: line, level, start });
  }
  return headings;
}

/** What ends like a sentence and is longer is no heading but a legend or a list item: `0     This attribute MUST NOT be present.` */
const WORDS_OF_TITLE = 4;

function isSentence(line: string): boolean {
  return /[.,;:]$/.test(line.trimEnd()) && line.split(/\s+/).length > WORDS_OF_TITLE + 1;
}

function levelOf(line: string): number | null {
  const numbered = numberedHeading(line);
  if (numbered !== null) return isSentence(line) ? null : numbered.number.length;
  if (UNNUMBERED.test(line)) return 1;
  const appendix = line.length <= 100 && !/\.{3,}/.test(line) ? APPENDIX.exec(line) : null;
  return appendix === null ? null : appendix[0].split('.').filter((part) => part.trim() !== '').length;
}
