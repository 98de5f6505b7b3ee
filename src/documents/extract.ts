import type { Extraction } from '../domain/document.ts';
import { decodeText } from './charset/decode.ts';
import { canonicalTextOf, type FormatContent } from './content.ts';
import { DocumentFailure } from './document-failure.ts';
import { decodeEntities, entitiesOf, entityWarnings } from './entities.ts';
import type { ExtractInput } from './extract-input.ts';
import { gunzip, isGzip } from './gunzip.ts';
import type { PageRange, PdfContent, PdfText } from './pdf/pdf-text.ts';
import { readerFor, type TextReader } from './sniff.ts';

/** Turns bytes into canonical text. Keeps what is costly to load (PDFium) between documents; one for each thread. */
export type Extractor = {
  /**
   * Canonical text of one document, or the typed reason why it has none. Never rejects over a document; a rejection is a bug.
   * `parts`: where all pages of a PDF are read already, what `readPages` gave of them, in order.
   *
   * @example
   * const { extract } = createExtractor();
   * const extraction = await extract({ bytes, name: 'spec.md', format: null, charset: null, password: null });
   */
  readonly extract: (input: ExtractInput, parts?: readonly PdfContent[]) => Promise<Extraction>;
  /** Some pages of a PDF. `null` for what is no PDF, and where only a reading of the whole file tells what is wrong with it. */
  readonly readPages: (input: ExtractInput, range: PageRange) => Promise<PdfContent | null>;
};

/** A new extractor. Parsers are loaded when a document first needs them. */
export function createExtractor(): Extractor {
  const readers = new Readers();
  return {
    async extract(input, parts = []) {
      try {
        const content = await readers.read(input, parts);
        if (content.assembled.text === '') throw new DocumentFailure('document_empty', 'it holds no text but white space');
        return { ok: true, content: canonicalTextOf(content) };
      } catch (error) {
        if (error instanceof DocumentFailure) return failed(error);
        throw error;
      }
    },
    async readPages(input, range) {
      try {
        return await readers.readPages(input, range);
      } catch (error) {
        if (error instanceof DocumentFailure) return null;
        throw error;
      }
    },
  };
}

/** Canonical text of a single document, or why it has none; for many, keep an extractor. */
export function extract(input: ExtractInput): Promise<Extraction> {
  return createExtractor().extract(input);
}

function failed({ reason, message, password, scan }: DocumentFailure): Extraction {
  return { ok: false, reason, message, ...(password === undefined ? {} : { password }), ...(scan === undefined ? {} : { scan }) };
}

class Readers {
  #pdfText: PdfText | null = null;

  async read(input: ExtractInput, parts: readonly PdfContent[]): Promise<FormatContent> {
    if (parts.length > 0) return this.#readPdf(input, parts);
    return this.#readUnpacked(isGzip(input.bytes) ? { ...input, ...gunzip(input.bytes, input.name) } : input);
  }

  async #readUnpacked(input: ExtractInput): Promise<FormatContent> {
    const reader = readerFor(input);
    if (reader === 'pdf') return this.#readPdf(input, []);
    if (reader === 'docx') return (await import('./docx/docx.ts')).readDocx(input.bytes);
    const decoded = await decodeText(input.bytes, { charset: input.charset, html: reader === 'html' });
    const content = await readText(reader, decoded.text, input);
    return { ...content, warnings: [...decoded.warnings, ...content.warnings] };
  }

  async readPages(input: ExtractInput, range: PageRange): Promise<PdfContent | null> {
    if (isGzip(input.bytes) || readerFor(input) !== 'pdf') return null;
    return (await this.#pdfium()).read(input.bytes, input.password, range);
  }

  async #readPdf(input: ExtractInput, parts: readonly PdfContent[]): Promise<FormatContent> {
    const { readPdf } = await import('./pdf/pdf.ts');
    const pdfium = await this.#pdfium();
    const [front] = parts;
    if (front === undefined) return readPdf(pdfium, input);
    const content = { ...front, pages: parts.flatMap(({ pages }) => pages) };
    return readPdf({ id: pdfium.id, read: async () => content }, input);
  }

  async #pdfium(): Promise<PdfText> {
    if (this.#pdfText === null) {
      const { PdfiumText } = await import('./pdf/pdfium-text.ts');
      this.#pdfText ??= new PdfiumText();
    }
    return this.#pdfText;
  }
}

async function readText(reader: TextReader, text: string, { name, format: stated }: ExtractInput): Promise<FormatContent> {
  if (reader === 'html') return (await import('./html/html.ts')).readHtml(text, { isXml: /\.xht(?:ml)?$/i.test(name) });
  if (reader === 'asciidoc') return (await import('./asciidoc.ts')).readAsciiDoc(text);
  if (reader === 'latex') return (await import('./latex/latex.ts')).readLatex(text);
  const entities = await entitiesOf(text);
  const content =
    reader === 'markdown'
      ? (await import('./markdown/markdown.ts')).readMarkdown(text, entities)
      : await readPlain(decodeEntities(text, entities), stated);
  return { ...content, warnings: [...content.warnings, ...entityWarnings(entities)] };
}

async function readPlain(text: string, stated: string | null): Promise<FormatContent> {
  const { looksLikeRfc } = await import('./rfc/rfc-pages.ts');
  const isRfc = stated === 'rfc' || (stated === null && looksLikeRfc(text));
  return isRfc ? (await import('./rfc/rfc.ts')).readRfc(text) : (await import('./plain-text.ts')).readPlainText(text);
}
