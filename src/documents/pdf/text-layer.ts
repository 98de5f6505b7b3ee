import type { ScanCommand } from '../../domain/document.ts';
import { DocumentFailure } from '../document-failure.ts';
import { count, percent, sum } from './figures.ts';
import { HIDDEN_KINDS, type PdfPage } from './pdf-text.ts';

/** From this share on, a document's text is no text. */
const REFUSED_SHARE = 0.3;
/** Pages with a worse share than this are unusable; a document is when most of its pages are. */
const UNUSABLE_PAGE_SHARE = 0.5;

/**
 * Throws `DocumentFailure` when there is nothing to read (`document_no_text`) or when what is there cannot be meant
 * (`document_bad_text`), because a model would answer all the same.
 */
export function judgeTextLayer(pages: readonly PdfPage[], name: string): void {
  const glyphs = sum(pages, (page) => page.glyphs);
  if (glyphs === 0) throw new DocumentFailure('document_no_text', noText(pages), { scan: scanCommand(name) });
  const unmapped = sum(pages, (page) => page.unmapped);
  const withText = pages.filter((page) => page.glyphs > 0);
  const unusable = withText.filter((page) => page.unmapped > page.glyphs * UNUSABLE_PAGE_SHARE);
  if (unmapped > glyphs * REFUSED_SHARE || unusable.length * 2 > withText.length) {
    const what = `unusable text layer: ${percent(unmapped, glyphs)} of its glyphs stand for no character`;
    throw new DocumentFailure('document_bad_text', what, { scan: scanCommand(name, '--force-ocr ') });
  }
}

function noText(pages: readonly PdfPage[]): string {
  const hidden = sum(pages, (page) => HIDDEN_KINDS.reduce((total, kind) => total + page.leftOut[kind], 0));
  if (hidden > 0) return `no visible text (${count(pages.length, 'page')}, ${count(hidden, 'hidden character')})`;
  return `no text layer (${count(pages.length, 'page')}, 0 characters)`;
}

function scanCommand(name: string, options = ''): ScanCommand {
  const becomes = `${name.replace(/\.pdf$/i, '')}-ocr.pdf`;
  return { command: `ocrmypdf ${options}${pathWord(name)} ${pathWord(becomes)}`, becomes };
}

/** What begins with a dash would pass for an option. */
function pathWord(path: string): string {
  return shellWord(path.startsWith('-') ? `./${path}` : path);
}

/** A word that a shell takes as it is, so that the command works as typed. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`;
}
