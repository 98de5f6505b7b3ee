/** A line as it stands on the page; `size` is that of the font which most of its glyphs are set in, in points as printed (0 when unknown). */
export type PdfLine = { readonly text: string; readonly size: number };

/**
 * Why text that a person does not see is left out: `outside` the visible part of the page, `invisible` by its render mode,
 * `transparent`, `tiny` (smaller than 2 points), `unseen` (in the colour of what is behind it, or covered).
 */
export const HIDDEN_KINDS = ['outside', 'invisible', 'transparent', 'tiny', 'unseen'] as const;

export type HiddenKind = (typeof HIDDEN_KINDS)[number];

export type PdfPage = {
  /** The page's printed number or name, where the file gives one. */
  readonly label: string | null;
  readonly lines: readonly PdfLine[];
  /** Visible glyphs, and those among them that the file does not map to a character (U+FFFD in `lines`). */
  readonly glyphs: number;
  readonly unmapped: number;
  /** Glyphs that are not in `lines`. */
  readonly leftOut: Readonly<Record<HiddenKind, number>>;
  /** Share of the visible page that images take, 0 to 1; whether anything but text is painted. */
  readonly imageShare: number;
  readonly hasGraphics: boolean;
  /** `lines` are invisible text that lies over or under a scan. */
  readonly isOcrLayer: boolean;
  /** The page could not be drawn: text in the colour of the page, or covered, may be among its lines. */
  readonly isUndrawn: boolean;
  /** Form fields, and notes or marks on the page; neither is read. */
  readonly annotations: { readonly fields: number; readonly notes: number };
  /**
   * Where the file gives other words to copy than it prints (`ActualText`): `printed` where both say the same or none are given,
   * `given` where those are read because the printed glyphs stand for no characters, `not as given` where the printed ones are read.
   */
  readonly wording: 'printed' | 'given' | 'not as given';
  /** Why nothing of the page could be read; `null` when it could. */
  readonly lost: string | null;
};

/** An entry of the outline. `level` starts at 1; `page` is a 0-based index, `null` when the entry leads to none. */
export type PdfBookmark = { readonly title: string; readonly level: number; readonly page: number | null };

export type PdfContent = {
  /** Title of the file's metadata. */
  readonly title: string | null;
  /** Of the file, however many of them were asked for. */
  readonly pageCount: number;
  readonly pages: readonly PdfPage[];
  readonly bookmarks: readonly PdfBookmark[];
};

/** Pages by their 0-based index; `end` is exclusive. */
export type PageRange = { readonly start: number; readonly end: number };

/** A library that reads the text layer of PDFs. */
export interface PdfText {
  /** Reader, library and version, as in `pdf@3:embedpdf@2.15.1`. */
  readonly id: string;
  /**
   * All pages of a file, those that cannot be read as `lost`; or a `DocumentFailure`: `document_encrypted` when the password is
   * missing or wrong, `document_broken` when the file or all of its pages cannot be read. With `range`, those pages only, and any
   * crash is a failure: what follows from it depends on the other pages.
   */
  read(bytes: Uint8Array, password: string | null, range?: PageRange): Promise<PdfContent>;
}
