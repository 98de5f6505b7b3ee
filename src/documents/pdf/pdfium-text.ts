import { DocumentFailure } from '../document-failure.ts';
import type { PageRange, PdfContent, PdfPage, PdfText } from './pdf-text.ts';
import { FETCH_AGAIN, lostPage, PdfiumDocument } from './pdfium-document.ts';
import { compilePdfium, NATIVE_LIMIT, type Pdfium, startPdfium } from './pdfium-module.ts';

/** Native memory never shrinks: an instance makes way for a new one after so many documents, or when it has grown so large. */
const DOCUMENTS_PER_INSTANCE = 50;
const LARGE_INSTANCE = 128 * 1024 * 1024;
/** A file that crashes PDFium more often is hostile or hopeless. */
const MOST_CRASHES = 20;
const ALL_PAGES: PageRange = { start: 0, end: Number.POSITIVE_INFINITY };
const MEGABYTE = 1024 * 1024;

type File = { readonly bytes: Uint8Array; readonly password: string | null };

/** PDFium in WebAssembly. Holds one instance, which a crash inside of it replaces. Not for several threads. */
export class PdfiumText implements PdfText {
  readonly id = 'pdf@3:embedpdf@2.15.1';
  readonly #limitBytes: number;
  #code: Promise<WebAssembly.Module> | null = null;
  #instance: { readonly pdfium: Pdfium; documents: number } | null = null;

  /** `limitBytes`: native memory that an instance may take. */
  constructor(limitBytes: number = NATIVE_LIMIT) {
    this.#limitBytes = limitBytes;
  }

  async read(bytes: Uint8Array, password: string | null, range: PageRange = ALL_PAGES): Promise<PdfContent> {
    const reading = new Reading({ bytes, password }, range);
    for (;;) {
      const pdfium = await this.#ready();
      try {
        const content = reading.goOn(pdfium);
        if (pdfium.memory().length > LARGE_INSTANCE) this.#instance = null;
        return content;
      } catch (error) {
        if (!isNativeCrash(error)) throw error;
        this.#instance = null;
        reading.crashed(this.#reasonOf(pdfium), error);
      }
    }
  }

  async #ready(): Promise<Pdfium> {
    this.#code ??= compilePdfium();
    const code = await this.#code;
    if (this.#instance === null || this.#instance.documents >= DOCUMENTS_PER_INSTANCE) {
      this.#instance = { pdfium: await startPdfium(code, this.#limitBytes), documents: 0 };
    }
    this.#instance.documents += 1;
    return this.#instance.pdfium;
  }

  #reasonOf(pdfium: Pdfium): string {
    return pdfium.isStarved() ? `needs more than ${this.#limitBytes / MEGABYTE} MB of memory (a decompression bomb?)` : 'crashes PDFium';
  }
}

/** A WebAssembly trap or abort, or a C++ exception (a bare pointer): the instance is unusable afterwards. */
function isNativeCrash(error: unknown): boolean {
  return typeof error === 'number' || (error instanceof Error && error.name === 'RuntimeError');
}

/** The pages of a file, as far as they are read; goes on in a new instance after a crash. */
class Reading {
  readonly #file: File;
  readonly #range: PageRange;
  readonly #pages: PdfPage[] = [];
  #document: PdfiumDocument | null = null;
  #crashes = 0;
  /** The page that crashed when it could be drawn: drawing asks for more than reading. */
  #undrawn: number | null = null;

  constructor(file: File, range: PageRange) {
    this.#file = file;
    this.#range = range;
  }

  goOn(pdfium: Pdfium): PdfContent {
    this.#document = null;
    return PdfiumDocument.open(pdfium, this.#file, (document) => {
      const [title, bookmarks] = [document.title(), document.outline()];
      this.#document = document;
      const { pageCount } = document;
      if (pageCount === 0) throw new DocumentFailure('document_broken', 'the PDF has no pages');
      for (let index = this.#next; index < Math.min(this.#range.end, pageCount); index += 1) {
        this.#pages.push(document.page(index, { mayDraw: index !== this.#undrawn }));
      }
      const [first] = this.#pages;
      if (first !== undefined && this.#pages.every((page) => page.lost !== null)) {
        throw new DocumentFailure('document_broken', `none of its pages can be read (page 1 ${first.lost})`, { next: FETCH_AGAIN });
      }
      return { title, pageCount, pages: this.#pages, bookmarks };
    });
  }

  get #next(): number {
    return this.#range.start + this.#pages.length;
  }

  /** Steps over what crashed. Throws `DocumentFailure` when that was no page, or one too many. */
  crashed(why: string, cause: unknown): void {
    this.#crashes += 1;
    if (this.#document === null || this.#crashes > MOST_CRASHES || this.#range !== ALL_PAGES) {
      throw new DocumentFailure('document_broken', `it ${why}`, { cause, next: `${FETCH_AGAIN}, or save it anew with another program` });
    }
    const index = this.#next;
    if (this.#document.isPageLoaded && this.#undrawn !== index) this.#undrawn = index;
    else this.#pages.push(lostPage(null, why));
  }
}
