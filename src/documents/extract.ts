import type { DocumentFormat, Extraction } from '../domain/document.ts';
import { canonicalTextOf, type FormatContent } from './content.ts';
import { decodeText } from './decode.ts';
import { DocumentFailure } from './document-failure.ts';
import type { ExtractInput } from './extract-input.ts';
import type { PdfText } from './pdf/pdf-text.ts';
import { readerFor } from './sniff.ts';

/** Turns bytes into canonical text. Keeps what is costly to load (PDFium) between documents; one for each thread. */
export type Extractor = {
  /**
   * Canonical text of one document, or the typed reason why it has none. Never rejects over a document; a rejection is a bug.
   *
   * @example
   * const { extract } = createExtractor();
   * const extraction = await extract({ bytes, name: 'spec.md', format: null, charset: null, password: null });
   */
  readonly extract: (input: ExtractInput) => Promise<Extraction>;
};

/** A new extractor. Parsers are loaded when a document first needs them. */
export function createExtractor(): Extractor {
  const readers = new Readers();
  return {
    async extract(input) {
      try {
        const content = await readers.read(input);
        if (content.assembled.text === '') throw new DocumentFailure('document_empty', 'it holds no text but white space');
        return { ok: true, content: canonicalTextOf(content) };
      } catch (error) {
        if (error instanceof DocumentFailure) return { ok: false, reason: error.reason, message: error.message };
        throw error;
      }
    },
  };
}

/** Canonical text of a single document, or why it has none; for many, keep an extractor. */
export function extract(input: ExtractInput): Promise<Extraction> {
  return createExtractor().extract(input);
}

class Readers {
  #pdfText: PdfText | null = null;

  async read(input: ExtractInput): Promise<FormatContent> {
    const reader = readerFor(input);
    if (reader === 'pdf') return this.#readPdf(input);
    const decoded = decodeText(input.bytes, { charset: input.charset, html: reader === 'html' });
    const content = await readText(reader, decoded.text, input.format);
    return { ...content, warnings: [...decoded.warnings, ...content.warnings] };
  }

  async #readPdf(input: ExtractInput): Promise<FormatContent> {
    const { readPdf } = await import('./pdf/pdf.ts');
    if (this.#pdfText === null) {
      const { PdfiumText } = await import('./pdf/pdfium-text.ts');
      this.#pdfText ??= new PdfiumText();
    }
    return readPdf(this.#pdfText, input);
  }
}

async function readText(reader: 'html' | 'markdown' | 'text', text: string, stated: string | null): Promise<FormatContent> {
  if (reader === 'html') return (await import('./html/html.ts')).readHtml(text);
  if (reader === 'markdown') return (await import('./markdown.ts')).readMarkdown(text);
  const { looksLikeRfc } = await import('./rfc-pages.ts');
  const format: DocumentFormat = stated === 'rfc' || (stated === null && looksLikeRfc(text)) ? 'rfc' : 'text';
  return format === 'rfc' ? (await import('./rfc.ts')).readRfc(text) : (await import('./plain-text.ts')).readPlainText(text);
}
