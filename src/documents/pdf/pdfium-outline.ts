import type { PdfBookmark } from './pdf-text.ts';
import { type Pdfium, readUtf16 } from './pdfium-module.ts';

/** An outline is navigation; a file with more entries, or deeper ones, is broken or hostile. */
const MAX_BOOKMARKS = 10_000;
const MAX_DEPTH = 32;

/** Entries of a document's outline, parents before children. Loops in a broken outline end at the first entry seen twice. */
export function readOutline(pdfium: Pdfium, document: number): readonly PdfBookmark[] {
  const bookmarks: PdfBookmark[] = [];
  const seen = new Set<number>();
  const open = [{ bookmark: pdfium.FPDFBookmark_GetFirstChild(document, 0), level: 1 }];
  for (let next = open.pop(); next !== undefined && bookmarks.length < MAX_BOOKMARKS; next = open.pop()) {
    const { bookmark, level } = next;
    if (bookmark === 0 || seen.has(bookmark)) continue;
    seen.add(bookmark);
    const title = readUtf16(pdfium, (pointer, sizeBytes) => pdfium.FPDFBookmark_GetTitle(bookmark, pointer, sizeBytes));
    bookmarks.push({ title: title ?? '', level, page: pageOf(pdfium, document, bookmark) });
    open.push({ bookmark: pdfium.FPDFBookmark_GetNextSibling(document, bookmark), level });
    if (level < MAX_DEPTH) open.push({ bookmark: pdfium.FPDFBookmark_GetFirstChild(document, bookmark), level: level + 1 });
  }
  return bookmarks;
}

function pageOf(pdfium: Pdfium, document: number, bookmark: number): number | null {
  const direct = pdfium.FPDFBookmark_GetDest(document, bookmark);
  const destination = direct === 0 ? destinationOfAction(pdfium, document, bookmark) : direct;
  const page = destination === 0 ? -1 : pdfium.FPDFDest_GetDestPageIndex(document, destination);
  return page < 0 ? null : page;
}

function destinationOfAction(pdfium: Pdfium, document: number, bookmark: number): number {
  const action = pdfium.FPDFBookmark_GetAction(bookmark);
  return action === 0 ? 0 : pdfium.FPDFAction_GetDest(document, action);
}
