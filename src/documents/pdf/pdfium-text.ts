import { DocumentFailure } from '../document-failure.ts';
import { hasEndMark } from './end-mark.ts';
import type { PdfContent, PdfPage, PdfText } from './pdf-text.ts';
import { loadPdfium, nativeBytes, type Pdfium, readUtf16, withNativeBuffer } from './pdfium-module.ts';
import { readOutline } from './pdfium-outline.ts';
import { readPageText } from './pdfium-page.ts';

// FPDF_GetLastError
const ERROR_PASSWORD = 4;
const ERROR_SECURITY = 5;

/** PDFium in WebAssembly. Holds one instance, which a crash inside of it replaces. Not for several threads. */
export class PdfiumText implements PdfText {
  readonly id = 'pdf:embedpdf@2.15.1';
  #loading: Promise<Pdfium> | null = null;

  async read(bytes: Uint8Array, password: string | null): Promise<PdfContent> {
    this.#loading ??= loadPdfium();
    const pdfium = await this.#loading;
    try {
      return readDocument(pdfium, bytes, password);
    } catch (error) {
      if (!isNativeCrash(error)) throw error;
      this.#loading = null;
      throw new DocumentFailure('document_broken', 'PDFium crashed on it: the file is damaged', { cause: error });
    }
  }
}

/** A WebAssembly trap or abort, or a C++ exception (a bare pointer): the instance is unusable afterwards. */
function isNativeCrash(error: unknown): boolean {
  return typeof error === 'number' || (error instanceof Error && error.name === 'RuntimeError');
}

function readDocument(pdfium: Pdfium, bytes: Uint8Array, password: string | null): PdfContent {
  // PDFium reads from this buffer until the document is closed.
  return withNativeBuffer(pdfium, bytes.length, (pointer) => {
    nativeBytes(pdfium).set(bytes, pointer);
    const document = pdfium.FPDF_LoadMemDocument(pointer, bytes.length, password ?? '');
    if (document === 0) throw openFailure(pdfium.FPDF_GetLastError(), bytes, password);
    try {
      return {
        title: readUtf16(pdfium, (buffer, size) => pdfium.FPDF_GetMetaText(document, 'Title', buffer, size)),
        pages: readPages(pdfium, document),
        bookmarks: readOutline(pdfium, document),
      };
    } finally {
      pdfium.FPDF_CloseDocument(document);
    }
  });
}

function openFailure(code: number, bytes: Uint8Array, password: string | null): DocumentFailure {
  if (code === ERROR_PASSWORD) {
    const what =
      password === null ? 'it needs a password; name its variable with "passwordEnv" in the manifest' : 'the password does not open it';
    return new DocumentFailure('document_encrypted', `encrypted PDF: ${what}`);
  }
  if (code === ERROR_SECURITY) return new DocumentFailure('document_encrypted', 'encrypted PDF: its kind of encryption is not supported');
  const why = hasEndMark(bytes) ? 'the file is damaged' : 'it has no end mark, so the file seems to be cut short';
  return new DocumentFailure('document_broken', `PDFium cannot open it: ${why}`);
}

function readPages(pdfium: Pdfium, document: number): readonly PdfPage[] {
  const count = pdfium.FPDF_GetPageCount(document);
  if (count === 0) throw new DocumentFailure('document_broken', 'the PDF has no pages');
  return Array.from({ length: count }, (_, index) => readPage(pdfium, document, { index, count }));
}

function readPage(pdfium: Pdfium, document: number, place: { index: number; count: number }): PdfPage {
  const page = pdfium.FPDF_LoadPage(document, place.index);
  const text = page === 0 ? 0 : pdfium.FPDFText_LoadPage(page);
  try {
    if (text === 0) throw new DocumentFailure('document_broken', `page ${place.index + 1} of ${place.count} cannot be read`);
    const label = readUtf16(pdfium, (buffer, size) => pdfium.FPDF_GetPageLabel(document, place.index, buffer, size));
    return { label, ...readPageText(pdfium, page, text) };
  } finally {
    if (text !== 0) pdfium.FPDFText_ClosePage(text);
    if (page !== 0) pdfium.FPDF_ClosePage(page);
  }
}
