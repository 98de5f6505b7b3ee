import type { PdfPage } from './pdf-text.ts';

/** A page without text is a scan, and not a page with a picture, when images take this share of it. */
const SCAN_SHARE = 0.5;

/** Why a page's text is lost in its image; `null` for a page with lines other than the running ones, and for a page without much of an image. */
export function lostImage(page: PdfPage, running: ReadonlySet<number>): string | null {
  const hasText = page.lines.some(({ text }, index) => !running.has(index) && text.trim() !== '');
  return hasText || page.imageShare < SCAN_SHARE ? null : 'an image without text (needs OCR)';
}
