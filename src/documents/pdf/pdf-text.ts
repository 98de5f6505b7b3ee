/** A line as it stands on the page; `height` is that of its first glyph's box, in points (0 when unknown). */
export type PdfLine = { readonly text: string; readonly height: number };

export type PdfPage = {
  /** The page's printed number or name, where the file gives one. */
  readonly label: string | null;
  readonly lines: readonly PdfLine[];
  /** Visible glyphs, and those among them that the file does not map to a character (U+FFFD in `lines`). */
  readonly glyphs: number;
  readonly unmapped: number;
  /** Glyphs outside the visible part of the page, left out of `lines`. */
  readonly outside: number;
};

/** An entry of the outline. `level` starts at 1; `page` is a 0-based index, `null` when the entry leads to none. */
export type PdfBookmark = { readonly title: string; readonly level: number; readonly page: number | null };

export type PdfContent = {
  /** Title of the file's metadata. */
  readonly title: string | null;
  readonly pages: readonly PdfPage[];
  readonly bookmarks: readonly PdfBookmark[];
};

/** A library that reads the text layer of PDFs. */
export interface PdfText {
  /** Library and version, as in `pdf:embedpdf@2.15.1`. */
  readonly id: string;
  /**
   * All pages of a file, or a `DocumentFailure`: `document_encrypted` when the password is missing or wrong, `document_broken`
   * when a page or the file itself cannot be read. Never a part of the pages.
   */
  read(bytes: Uint8Array, password: string | null): Promise<PdfContent>;
}
