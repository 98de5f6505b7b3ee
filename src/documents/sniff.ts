import { looksBinary } from './decode.ts';
import { DocumentFailure } from './document-failure.ts';
import type { ExtractInput } from './extract-input.ts';
import { unsupportedKind } from './signatures.ts';

/** How a file is read. `text` covers RFC too: only the decoded text tells them apart. */
export type Reader = 'pdf' | 'html' | 'markdown' | 'text';

/** A PDF header may stand behind junk, as deep as this (Acrobat's rule). */
const PDF_HEADER_WITHIN = 1024;
const HTML_START_WITHIN = 1024;

const READERS: ReadonlyMap<string, Reader> = new Map([
  ['pdf', 'pdf'],
  ['html', 'html'],
  ['markdown', 'markdown'],
  ['text', 'text'],
  ['rfc', 'text'],
]);

const EXTENSIONS: ReadonlyMap<string, Reader> = new Map([
  ['.html', 'html'],
  ['.htm', 'html'],
  ['.xhtml', 'html'],
  ['.md', 'markdown'],
  ['.markdown', 'markdown'],
  ['.mdown', 'markdown'],
  ['.mkd', 'markdown'],
]);

/**
 * The reader for a file: the manifest's `format`, else what the content shows, else the extension. Throws `DocumentFailure` for an
 * empty file (`document_empty`), for content that cannot be read (`document_unreadable`, naming what it looks like), and for a
 * `.pdf` that is none (`document_broken`).
 */
export function readerFor(input: Omit<ExtractInput, 'password'>): Reader {
  if (input.bytes.length === 0) throw new DocumentFailure('document_empty', 'the file is empty (0 bytes)');
  const reader = input.format === null ? sniffed(input.bytes, input.name) : stated(input.format);
  if (reader !== 'pdf' && looksBinary(input.bytes, input.charset)) {
    throw new DocumentFailure('document_unreadable', 'it looks like a binary file (it holds NUL bytes), which is not supported');
  }
  return reader;
}

function stated(format: string): Reader {
  const reader = READERS.get(format);
  if (reader === undefined) {
    throw new DocumentFailure('document_unreadable', `format "${format}" is not supported yet; known: ${[...READERS.keys()].join(', ')}`);
  }
  return reader;
}

function sniffed(bytes: Uint8Array, name: string): Reader {
  const extension = /\.[^./\\]+$/.exec(name)?.[0].toLowerCase() ?? '';
  if (isPdf(bytes, extension)) return 'pdf';
  const kind = unsupportedKind(bytes);
  if (kind !== null) {
    throw new DocumentFailure('document_unreadable', `it looks like ${kind}, which is not supported yet`);
  }
  const html = looksLikeHtml(bytes);
  if (extension === '.pdf') {
    throw new DocumentFailure('document_broken', `not a PDF: it has no %PDF- header${html ? ' and looks like an HTML page' : ''}`);
  }
  return html ? 'html' : (EXTENSIONS.get(extension) ?? 'text');
}

/** A text may speak of `%PDF-`; behind the first byte the header counts only in a file that is a PDF by name or no text. */
function isPdf(bytes: Uint8Array, extension: string): boolean {
  const at = head(bytes, PDF_HEADER_WITHIN).indexOf('%PDF-');
  if (at <= 0) return at === 0;
  return extension === '.pdf' || bytes.includes(0) || head(bytes, at).trim() === '';
}

function looksLikeHtml(bytes: Uint8Array): boolean {
  const start = head(bytes, HTML_START_WITHIN);
  return /^(?:\u00ef\u00bb\u00bf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html|html)[\s>]/i.test(start);
}

/** First bytes as one character each, for the search of ASCII marks. */
function head(bytes: Uint8Array, length: number): string {
  return Buffer.from(bytes.subarray(0, length)).toString('latin1');
}
