import { DocumentFailure } from '../document-failure.ts';
import { hasEndMark } from './end-mark.ts';
import type { ReadingOptions } from './hidden-text.ts';
import { mayHoldLayeredForms } from './layered-forms.ts';
import { countAnnotations } from './page-annotations.ts';
import type { PdfBookmark, PdfPage } from './pdf-text.ts';
import { type Pdfium, readUtf16, withNativeCopy, withNativeString } from './pdfium-module.ts';
import { readOutline } from './pdfium-outline.ts';
import { type PageText, readPageText } from './pdfium-page.ts';
import { asPrinted } from './printed-words.ts';

// FPDF_GetLastError
const ERROR_PASSWORD = 4;
const ERROR_SECURITY = 5;
const HEADER_WITHIN = 1024;

/** A page of which nothing could be read. */
export function lostPage(label: string | null, lost: string): PdfPage {
  const leftOut = { outside: 0, invisible: 0, transparent: 0, tiny: 0, unseen: 0 };
  return {
    label,
    lost,
    lines: [],
    glyphs: 0,
    unmapped: 0,
    leftOut,
    imageShare: 0,
    hasGraphics: false,
    isOcrLayer: false,
    isUndrawn: false,
    annotations: { fields: 0, notes: 0 },
    wording: 'printed',
  };
}

/** A document that is open in one instance of PDFium. */
export class PdfiumDocument {
  readonly #pdfium: Pdfium;
  readonly #document: number;
  readonly #mayHideForms: boolean;
  #isPageLoaded = false;
  readonly pageCount: number;

  /** Lends the opened file to `use`. Throws `DocumentFailure` when PDFium cannot open it. */
  static open<Result>(pdfium: Pdfium, file: File, use: (document: PdfiumDocument) => Result): Result {
    // PDFium reads from this copy until the document is closed.
    return withNativeCopy(pdfium, file.bytes, (pointer) => {
      const document = withNativeString(pdfium, file.password ?? '', (password) =>
        pdfium.FPDF_LoadMemDocument(pointer, file.bytes.length, password),
      );
      if (document === 0) throw openFailure(pdfium.FPDF_GetLastError(), file);
      const result = use(new PdfiumDocument(pdfium, document, mayHoldLayeredForms(file.bytes)));
      // Not in a `finally`: after a crash the instance is thrown away as it is.
      pdfium.FPDF_CloseDocument(document);
      return result;
    });
  }

  private constructor(pdfium: Pdfium, document: number, mayHideForms: boolean) {
    this.#mayHideForms = mayHideForms;
    this.#pdfium = pdfium;
    this.#document = document;
    this.pageCount = pdfium.FPDF_GetPageCount(document);
  }

  title(): string | null {
    return withNativeString(this.#pdfium, 'Title', (tag) =>
      readUtf16(this.#pdfium, (buffer, size) => this.#pdfium.FPDF_GetMetaText(this.#document, tag, buffer, size)),
    );
  }

  outline(): readonly PdfBookmark[] {
    return readOutline(this.#pdfium, this.#document);
  }

  label(index: number): string | null {
    return readUtf16(this.#pdfium, (buffer, size) => this.#pdfium.FPDF_GetPageLabel(this.#document, index, buffer, size));
  }

  /** Whether a page was loaded and is not read to its end. */
  get isPageLoaded(): boolean {
    return this.#isPageLoaded;
  }

  page(index: number, options: { mayDraw: boolean }): PdfPage {
    const pdfium = this.#pdfium;
    const label = this.label(index);
    const page = pdfium.FPDF_LoadPage(this.#document, index);
    if (page === 0) return lostPage(label, 'cannot be read: the file is damaged there');
    const reading = { ...options, mayHideForms: this.#mayHideForms };
    const text = this.#text(page, reading);
    const read =
      text === null
        ? lostPage(label, 'its text cannot be read')
        : {
            label,
            lost: null,
            annotations: countAnnotations(pdfium, page),
            ...asPrinted(pdfium, text, () => this.#text(page, reading) ?? text),
          };
    pdfium.FPDF_ClosePage(page);
    return read;
  }

  #text(page: number, options: ReadingOptions): PageText | null {
    const text = this.#pdfium.FPDFText_LoadPage(page);
    if (text === 0) return null;
    this.#isPageLoaded = true;
    const read = readPageText(this.#pdfium, { page, text }, options);
    this.#isPageLoaded = false;
    this.#pdfium.FPDFText_ClosePage(text);
    return read;
  }
}

type File = { readonly bytes: Uint8Array; readonly password: string | null };

/** What mends a damaged file, mostly. */
export const FETCH_AGAIN = 'fetch it again';

function openFailure(code: number, file: File): DocumentFailure {
  if (code === ERROR_PASSWORD) return passwordFailure(file);
  if (code === ERROR_SECURITY) {
    const next = 'save a copy without encryption, with `qpdf --decrypt`';
    return new DocumentFailure('document_encrypted', 'encrypted PDF: its kind of encryption is not supported', { next });
  }
  return brokenFailure(file.bytes);
}

function passwordFailure({ password }: File): DocumentFailure {
  if (password === null) return new DocumentFailure('document_encrypted', 'encrypted PDF: it needs a password', { password: 'missing' });
  return new DocumentFailure('document_encrypted', 'encrypted PDF: the password does not open it', { password: 'wrong' });
}

function brokenFailure(bytes: Uint8Array): DocumentFailure {
  if (!hasHeader(bytes)) {
    return new DocumentFailure('document_broken', 'this is no PDF (it does not begin with %PDF-)', { next: 'leave its format out' });
  }
  if (hasEndMark(bytes)) {
    const next = `${FETCH_AGAIN}, or repair a copy with \`qpdf\``;
    return new DocumentFailure('document_broken', 'PDFium cannot open it: the file is damaged', { next });
  }
  const what = 'PDFium cannot open it: it has no end mark, so the file seems to be cut short';
  return new DocumentFailure('document_broken', what, { next: FETCH_AGAIN });
}

/** Behind junk too, as deep as PDFium looks for it. */
function hasHeader(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, HEADER_WITHIN)).includes('%PDF-');
}
