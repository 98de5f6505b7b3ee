import { DocumentFailure } from './document-failure.ts';
import type { ExtractInput } from './extract-input.ts';
import { isDocx, unsupportedKind } from './signatures.ts';

/** How a file is read. `text` covers RFC too: only the decoded text tells them apart. */
export type Reader = 'pdf' | 'docx' | TextReader;
export type TextReader = 'html' | 'markdown' | 'asciidoc' | 'latex' | 'text';

/** A PDF header may stand behind junk, as deep as this (Acrobat's rule). */
const PDF_HEADER_WITHIN = 1024;
const HTML_START_WITHIN = 1024;
/** Length of `<!--`; `<!-->` is a whole comment. */
const COMMENT_START = 2;
/** Comments may stand before `\documentclass`. */
const LATEX_START_WITHIN = 16_384;

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['pdf', 'pdf'],
  ['docx', 'docx'],
  ['html', 'html'],
  ['markdown', 'markdown'],
  ['asciidoc', 'asciidoc'],
  ['latex', 'latex'],
  ['text', 'text'],
  ['rfc', 'text'],
]);

/** Everything else is plain text: .rst, .org, .json, .xml, .yaml, .csv, source code. */
const EXTENSIONS: ReadonlyMap<string, TextReader> = new Map<string, TextReader>([
  ['.html', 'html'],
  ['.htm', 'html'],
  ['.xhtml', 'html'],
  ['.md', 'markdown'],
  ['.markdown', 'markdown'],
  ['.mdown', 'markdown'],
  ['.mkd', 'markdown'],
  ['.adoc', 'asciidoc'],
  ['.asciidoc', 'asciidoc'],
  ['.asc', 'asciidoc'],
  ['.tex', 'latex'],
  ['.ltx', 'latex'],
]);

/**
 * The reader for a file: the manifest's `format`, else what the content shows, else the extension. Throws `DocumentFailure` for an
 * empty file (`document_empty`), for content that cannot be read (`document_unreadable`, naming what it looks like), and for a
 * `.pdf` or `.docx` that is none (`document_broken`).
 */
export function readerFor(input: Pick<ExtractInput, 'bytes' | 'name' | 'format'>): Reader {
  if (input.bytes.length === 0) throw new DocumentFailure('document_empty', 'the file is empty (0 bytes)');
  return input.format === null ? sniffed(input.bytes, input.name) : stated(input.format);
}

function stated(format: string): Reader {
  const reader = READERS.get(format);
  if (reader === undefined) {
    throw new DocumentFailure('document_unreadable', `format "${format}" is not supported; known: ${[...READERS.keys()].join(', ')}`);
  }
  return reader;
}

function sniffed(bytes: Uint8Array, name: string): Reader {
  const extension = /\.[^./\\]+$/.exec(name)?.[0].toLowerCase() ?? '';
  if (isPdf(bytes, extension)) return 'pdf';
  if (isDocx(bytes)) return 'docx';
  const kind = unsupportedKind(bytes);
  // The reader knows more: an encrypted or damaged Word file has the signature of another kind.
  if (kind !== null && extension === '.docx') return 'docx';
  if (kind !== null) throw new DocumentFailure('document_unreadable', `it looks like ${kind}, which is not supported`);
  return textReader(bytes, extension);
}

function textReader(bytes: Uint8Array, extension: string): TextReader {
  const isHtml = looksLikeHtml(bytes);
  if (extension === '.pdf' || extension === '.docx') {
    const what = extension === '.pdf' ? 'a PDF: it has no %PDF- header' : 'a DOCX: it is no ZIP archive';
    throw new DocumentFailure('document_broken', `not ${what}${isHtml ? ' and looks like an HTML page' : ''}`);
  }
  if (isHtml) return 'html';
  return EXTENSIONS.get(extension) ?? (looksLikeLatex(bytes) ? 'latex' : 'text');
}

/** A text may speak of `%PDF-`; behind the first byte the header counts only in a file that is a PDF by name or no text. */
function isPdf(bytes: Uint8Array, extension: string): boolean {
  const at = head(bytes, PDF_HEADER_WITHIN).indexOf('%PDF-');
  if (at <= 0) return at === 0;
  return extension === '.pdf' || bytes.includes(0) || head(bytes, at).trim() === '';
}

function looksLikeHtml(bytes: Uint8Array): boolean {
  let start = textHead(bytes, HTML_START_WITHIN)
    .trimStart()
    .replace(/^<\?xml[^>]*>/i, '')
    .trimStart();
  // A loop, because a pattern that steps over comments tries all ways to part them.
  while (start.startsWith('<!--')) {
    const end = start.indexOf('-->', COMMENT_START);
    if (end === -1) return false;
    start = start.slice(end + 3).trimStart();
  }
  return /^<(?:!doctype\s+html|html)[\s>]/i.test(start);
}

function looksLikeLatex(bytes: Uint8Array): boolean {
  return /^[ \t]*\\documentclass[ \t]*[[{]/m.test(textHead(bytes, LATEX_START_WITHIN));
}

/** First bytes as one character each, for the search of ASCII marks. */
function head(bytes: Uint8Array, length: number): string {
  return Buffer.from(bytes.subarray(0, length)).toString('latin1');
}

/** The same without byte-order mark and without the NULs that UTF-16 has in ASCII. */
function textHead(bytes: Uint8Array, length: number): string {
  return head(bytes, length)
    .replaceAll('\0', '')
    .replace(/^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/, '');
}
