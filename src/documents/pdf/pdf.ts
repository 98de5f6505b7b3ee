import { assemble, type DraftLine } from '../assemble.ts';
import type { FormatContent } from '../content.ts';
import { NORMALISER } from '../normalise.ts';
import { hasEndMark } from './end-mark.ts';
import { outlineHeadings, typographicHeadings } from './pdf-headings.ts';
import type { PdfContent, PdfText } from './pdf-text.ts';
import { findRunningLines } from './running-lines.ts';
import { judgeTextLayer } from './text-layer.ts';

/** What authoring tools write where a title should be. */
const NO_TITLE = /^(?:untitled.*|microsoft word - .*|.*\.(?:docx?|dvi|tex|indd|qxd))$/i;

/**
 * Content of a PDF: its text layer page by page, without running heads and feet; lines are counted on the page as printed. Sections
 * come from the outline, else from numbered headings in larger type; the title from the metadata, else the outline.
 */
export async function readPdf(
  pdfText: PdfText,
  input: { bytes: Uint8Array; password: string | null; name: string },
): Promise<FormatContent> {
  const content = await pdfText.read(input.bytes, input.password);
  const warnings = judgeTextLayer(content.pages, input.name);
  const cut = hasEndMark(input.bytes) ? [] : ['the file has no end mark (%%EOF): it may be cut short'];
  const running = findRunningLines(content.pages.map((page) => page.lines));
  const { lines, heights } = bodyLines(content, running.drop);
  const assembled = assemble(
    lines,
    content.pages.map((page, index) => ({ number: index + 1, label: page.label })),
  );
  const heightAt = new Map(lines.map((_, index) => [assembled.offsets[index] ?? 0, heights[index] ?? 0]));
  const outline = outlineHeadings(content.bookmarks, assembled);
  return {
    format: 'pdf',
    extractor: `${pdfText.id}+${NORMALISER}`,
    title: titleOf(content),
    assembled,
    headings: outline.length > 0 ? outline : typographicHeadings(assembled, heightAt),
    warnings: [
      ...cut,
      ...warnings,
      ...running.found.map(({ text, pages }) => `running line removed from ${pages} pages, such as "${text}"`),
    ],
  };
}

function bodyLines(content: PdfContent, drop: readonly ReadonlySet<number>[]): { lines: readonly DraftLine[]; heights: readonly number[] } {
  const lines: DraftLine[] = [];
  const heights: number[] = [];
  for (const [page, { lines: printed }] of content.pages.entries()) {
    for (const [index, { text, height }] of printed.entries()) {
      if (drop[page]?.has(index)) continue;
      lines.push({ text, number: index + 1, page });
      heights.push(height);
    }
  }
  return { lines, heights };
}

function titleOf(content: PdfContent): string | null {
  const stated = content.title?.trim() ?? '';
  if (stated !== '' && !NO_TITLE.test(stated)) return stated;
  return content.bookmarks.find((bookmark) => bookmark.title.trim() !== '')?.title ?? null;
}
