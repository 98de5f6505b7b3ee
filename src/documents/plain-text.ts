import { type Assembled, assemble, type PageName } from './assemble.ts';
import type { FormatContent } from './content.ts';
import { NORMALISER } from './normalise.ts';
import { numberedHeading, readsLikeHeading } from './numbered-headings.ts';
import type { Heading } from './sections.ts';
import { splitLines } from './split-lines.ts';

/**
 * Content of a plain text: no title; pages when form feeds divide it; sections from numbered headings that stand alone between
 * blank lines.
 */
export function readPlainText(text: string): FormatContent {
  const lines = splitLines(text);
  const pageCount = (lines.at(-1)?.page ?? 0) + 1;
  const pages: PageName[] = pageCount === 1 ? [] : Array.from({ length: pageCount }, (_, index) => ({ number: index + 1, label: null }));
  const assembled = assemble(lines, pages);
  return { format: 'text', extractor: `text@1+${NORMALISER}`, title: null, assembled, headings: headingsOf(assembled), warnings: [] };
}

function headingsOf(assembled: Assembled): readonly Heading[] {
  const lines = assembled.text.split('\n');
  const headings: Heading[] = [];
  for (const [index, line] of lines.entries()) {
    if ((lines[index - 1] ?? '') !== '' || (lines[index + 1] ?? '') !== '') continue;
    const heading = numberedHeading(line);
    if (heading === null || !readsLikeHeading(heading)) continue;
    headings.push({ title: heading.title, level: heading.number.length, start: assembled.lines.start[index] ?? 0 });
  }
  return headings;
}
