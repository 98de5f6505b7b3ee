import type { LostPage } from '../../domain/document.ts';
import { assemble, type DraftLine } from '../assemble.ts';
import type { FormatContent } from '../content.ts';
import { NORMALISER } from '../normalise.ts';
import { hasEndMark } from './end-mark.ts';
import { pageList } from './figures.ts';
import { lostImage } from './lost-image.ts';
import { outlineHeadings } from './outline-headings.ts';
import { pageWarnings } from './page-warnings.ts';
import type { PdfContent, PdfText } from './pdf-text.ts';
import { findRunningLines, type RunningLines } from './running-lines.ts';
import { judgeTextLayer } from './text-layer.ts';
import { typographicHeadings } from './typographic-headings.ts';

/** What authoring tools write where a title should be. */
const NO_TITLE = /^(?:untitled.*|microsoft word - .*|.*\.(?:docx?|dvi|tex|indd|qxd))$/i;

/**
 * Content of a PDF: its visible text page by page, without running heads and feet; lines are counted on the page as printed.
 * Sections come from the outline, else from headings in larger type; the title from the metadata, else the outline.
 */
export async function readPdf(
  pdfText: PdfText,
  input: { bytes: Uint8Array; password: string | null; name: string },
): Promise<FormatContent> {
  const { title, bookmarks, pages: read } = await pdfText.read(input.bytes, input.password);
  judgeTextLayer(read, input.name);
  const running = findRunningLines(read.map((page) => page.lines));
  const pages = read.map((page, index) => ({ ...page, lost: page.lost ?? lostImage(page, running.drop[index] ?? new Set()) }));
  const lostPages = pages.flatMap(({ label, lost }, index) => (lost === null ? [] : [{ number: index + 1, label, why: lost }]));
  const { lines, sizes } = bodyLines(pages, running.drop);
  const assembled = assemble(
    lines,
    pages.map((page, index) => ({ number: index + 1, label: page.label })),
  );
  const sizeAt = new Map(lines.map((_, index) => [assembled.offsets[index] ?? 0, sizes[index] ?? 0]));
  const outline = outlineHeadings(bookmarks, assembled);
  return {
    format: 'pdf',
    extractor: `${pdfText.id}+${NORMALISER}`,
    title: titleOf(title, bookmarks),
    assembled,
    headings: outline.length > 0 ? outline : typographicHeadings(assembled, sizeAt),
    lostPages,
    warnings: [
      ...(hasEndMark(input.bytes) ? [] : ['the file has no end mark (%%EOF): it may be cut short']),
      ...lostWarnings(lostPages),
      ...pageWarnings(pages),
      ...runningWarnings(running),
    ],
  };
}

function bodyLines(
  pages: PdfContent['pages'],
  drop: readonly ReadonlySet<number>[],
): { lines: readonly DraftLine[]; sizes: readonly number[] } {
  const lines: DraftLine[] = [];
  const sizes: number[] = [];
  for (const [page, { lost, lines: printed }] of pages.entries()) {
    if (lost !== null) continue;
    for (const [index, { text, size }] of printed.entries()) {
      if (drop[page]?.has(index)) continue;
      lines.push({ text, number: index + 1, page });
      sizes.push(size);
    }
  }
  return { lines, sizes };
}

/** Lost for the same reason is told once. */
function lostWarnings(lostPages: readonly LostPage[]): readonly string[] {
  const numbers = new Map<string, number[]>();
  for (const { number, why } of lostPages) {
    const others = numbers.get(why);
    if (others === undefined) numbers.set(why, [number]);
    else others.push(number);
  }
  return [...numbers].map(([why, pages]) => `without ${pageList(pages)}: ${why}`);
}

function runningWarnings(running: RunningLines): readonly string[] {
  return running.found.map(({ text, pages }) => `running line removed from ${pages} pages, such as "${text}"`);
}

function titleOf(stated: string | null, bookmarks: PdfContent['bookmarks']): string | null {
  const title = stated?.trim() ?? '';
  if (title !== '' && !NO_TITLE.test(title)) return title;
  return bookmarks.find((bookmark) => bookmark.title.trim() !== '')?.title ?? null;
}
