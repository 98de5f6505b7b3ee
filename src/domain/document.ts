import type { DocumentReason } from './reason.ts';

export type DocumentFormat = 'markdown' | 'text' | 'rfc' | 'html' | 'pdf' | 'docx' | 'asciidoc' | 'latex';

/** UTF-16 units of `CanonicalText.text`; `end` is exclusive. */
export type Span = { readonly start: number; readonly end: number };

/** Offsets are UTF-16 units into `CanonicalText.text`; `end` is exclusive. */
export type Page = { readonly number: number; readonly label: string | null; readonly start: number; readonly end: number };

/** A heading and all that stands below it up to the next heading of its level or higher. `level` starts at 1; `anchor`: the name by which the document links to it. */
export type Section = Span & { readonly title: string; readonly level: number; readonly anchor?: string };

/** What must not be cut between its lines where that can be helped: a table, a listing. `headerEnd`: of a table, the end of its header row; `null` without one. */
export type Block = Span & { readonly kind: 'table' | 'listing'; readonly headerEnd: number | null };

/** A page whose text the document lacks; it stands in `pages` too, empty. `why`: for a person, such as `cannot be read`, `an image without text`. */
export type LostPage = { readonly number: number; readonly label: string | null; readonly why: string };

/**
 * What a document's bytes give: the text that the model sees, that keys hash and that offsets refer to.
 * `lines.start[i]` is the offset of canonical line i, `lines.number[i]` the 1-based line a person would look for: within the
 * page for PDF, within the original file for text formats, within the canonical text for HTML.
 */
export type CanonicalText = {
  readonly format: DocumentFormat;
  /** Extractor and normaliser versions, e.g. `pdf@3:embedpdf@2.15.1+norm:1`. */
  readonly extractor: string;
  readonly title: string | null;
  readonly text: string;
  readonly textSha256: string;
  /** Empty for formats without pages. */
  readonly pages: readonly Page[];
  readonly sections: readonly Section[];
  /** In order, none inside another. */
  readonly blocks: readonly Block[];
  /** In order. The rest of the document is used, and the results say so. */
  readonly lostPages: readonly LostPage[];
  readonly lines: { readonly start: readonly number[]; readonly number: readonly number[] };
  readonly warnings: readonly string[];
};

export type Extraction =
  | { readonly ok: true; readonly content: CanonicalText }
  | {
      readonly ok: false;
      readonly reason: DocumentReason;
      /** May hold what to do: `advised` parts the two. */
      readonly message: string;
      /** What is wrong with the password, where one would open it. */
      readonly password?: PasswordFault | undefined;
      /** How a scan gets a text, where that is what it lacks. */
      readonly scan?: ScanCommand | undefined;
    };

/** The command that reads the pages, and the file that it writes; paths as the document's name has them. */
export type ScanCommand = { readonly command: string; readonly becomes: string };

export type PasswordFault = 'missing' | 'wrong';

/** Where a span of the canonical text stands, for a person. */
export type Position = {
  readonly page: number | null;
  readonly pageLabel: string | null;
  /** Title of the innermost section. */
  readonly section: string | null;
  readonly line: number;
  readonly start: number;
  readonly end: number;
};

/** Position of the span `[start, end)`; page and line are those of its first character. */
export function positionOf(content: CanonicalText, start: number, end: number): Position {
  const page = content.pages[lastStarted(content.pages, start)];
  const lineIndex = lastAtOrBefore(content.lines.start.length, (i) => content.lines.start[i] ?? 0, start);
  return {
    page: page?.number ?? null,
    pageLabel: page?.label ?? null,
    section: innermostSection(content.sections, start)?.title ?? null,
    line: content.lines.number[lineIndex] ?? 1,
    start,
    end,
  };
}

/** Sections nest: the last that begins before is the one, but for what stands behind them all. */
function innermostSection(sections: readonly Section[], offset: number): Section | undefined {
  let index = lastStarted(sections, offset);
  while (index >= 0 && (sections[index]?.end ?? 0) <= offset) index -= 1;
  return sections[index];
}

/** Index of the last of `spans`, which are in order, that begins at `offset` or before it; -1 if none does. */
export function lastStarted(spans: readonly Span[], offset: number): number {
  return lastAtOrBefore(spans.length, (index) => spans[index]?.start ?? 0, offset);
}

/** Index of the last of `count` ascending values that is at most `limit`; -1 if none is. */
function lastAtOrBefore(count: number, valueAt: (index: number) => number, limit: number): number {
  let low = 0;
  let high = count - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (valueAt(middle) <= limit) low = middle + 1;
    else high = middle - 1;
  }
  return high;
}
