import type { DocumentReason } from './reason.ts';

export type DocumentFormat = 'markdown' | 'text' | 'rfc' | 'html' | 'pdf';

/** Offsets are UTF-16 units into `CanonicalText.text`; `end` is exclusive. */
export type Page = { readonly number: number; readonly label: string | null; readonly start: number; readonly end: number };

/** A heading and all that stands below it up to the next heading of its level or higher. `level` starts at 1. */
export type Section = { readonly title: string; readonly level: number; readonly start: number; readonly end: number };

/**
 * What a document's bytes give: the text that the model sees, that keys hash and that offsets refer to.
 * `lines.start[i]` is the offset of canonical line i, `lines.number[i]` the 1-based line a person would look for: within the
 * page for PDF, within the original file for text formats, within the canonical text for HTML.
 */
export type CanonicalText = {
  readonly format: DocumentFormat;
  /** Extractor and normaliser versions, e.g. `pdf:embedpdf@2.15.1+norm:1`. */
  readonly extractor: string;
  readonly title: string | null;
  readonly text: string;
  readonly textSha256: string;
  /** Empty for formats without pages. */
  readonly pages: readonly Page[];
  readonly sections: readonly Section[];
  readonly lines: { readonly start: readonly number[]; readonly number: readonly number[] };
  readonly warnings: readonly string[];
};

export type Extraction =
  | { readonly ok: true; readonly content: CanonicalText }
  | { readonly ok: false; readonly reason: DocumentReason; readonly message: string };

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
  const page = content.pages[lastAtOrBefore(content.pages.length, (i) => content.pages[i]?.start ?? 0, start)];
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

function innermostSection(sections: readonly Section[], offset: number): Section | undefined {
  let found: Section | undefined;
  for (const section of sections) {
    if (section.start > offset) break;
    if (offset < section.end) found = section;
  }
  return found;
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
