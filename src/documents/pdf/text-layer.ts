import { DocumentFailure } from '../document-failure.ts';
import type { PdfPage } from './pdf-text.ts';

/** From this share of glyphs without a character on, a page is reported. */
const WARNED_SHARE = 0.05;
/** From this share on, a document's text is no text. */
const REFUSED_SHARE = 0.3;
/** Pages with a worse share than this are unusable; a document is when most of its pages are. */
const UNUSABLE_PAGE_SHARE = 0.5;

/**
 * Warnings about what a text layer lacks. Throws `DocumentFailure` when there is nothing to read (`document_no_text`) or when
 * what is there cannot be meant (`document_bad_text`), because a model would answer all the same.
 */
export function judgeTextLayer(pages: readonly PdfPage[], name: string): readonly string[] {
  const glyphs = sum(pages, (page) => page.glyphs);
  if (glyphs === 0) {
    throw new DocumentFailure(
      'document_no_text',
      `no text layer (${count(pages.length, 'page')}, 0 characters); next: ${ocrCommand(name)}`,
    );
  }
  const unmapped = sum(pages, (page) => page.unmapped);
  const withText = pages.filter((page) => page.glyphs > 0);
  const unusable = withText.filter((page) => page.unmapped > page.glyphs * UNUSABLE_PAGE_SHARE);
  if (unmapped > glyphs * REFUSED_SHARE || unusable.length * 2 > withText.length) {
    throw new DocumentFailure(
      'document_bad_text',
      `unusable text layer: ${percent(unmapped, glyphs)} of its glyphs stand for no character; next: ${ocrCommand(name, '--force-ocr ')}`,
    );
  }
  return pages.flatMap((page, index) => pageWarnings(page, index + 1));
}

function pageWarnings(page: PdfPage, number: number): readonly string[] {
  const warnings: string[] = [];
  if (page.glyphs === 0) warnings.push(`page ${number} has no text (an image, or blank)`);
  if (page.unmapped > page.glyphs * WARNED_SHARE) {
    warnings.push(`page ${number}: ${percent(page.unmapped, page.glyphs)} of the glyphs stand for no character`);
  }
  if (page.outside > 0) warnings.push(`page ${number}: ${count(page.outside, 'character')} outside the visible page left out`);
  return warnings;
}

function ocrCommand(name: string, options = ''): string {
  return `ocrmypdf ${options}${shellWord(name)} ${shellWord(`${name.replace(/\.pdf$/i, '')}-ocr.pdf`)}`;
}

/** A word that a shell takes as it is, so that the command works as typed. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`;
}

function sum(pages: readonly PdfPage[], of: (page: PdfPage) => number): number {
  return pages.reduce((total, page) => total + of(page), 0);
}

function percent(part: number, whole: number): string {
  return `${Math.round((part / whole) * 100)} %`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
