import type { Span } from '../../domain/document.ts';
import type { Edit } from './reading.ts';

const FENCE = {
  markdown: /^[^\S\n]{0,12}(?:> ?){0,4}[^\S\n]{0,3}(`{3,}|~{3,})/gm,
  asciidoc: /^(-{4,}|\.{4,}|\+{4,}|`{3,})[^\S\n]*$/gm,
};

/** The edits outside of listings, where marks are characters. Both in order. */
export function outsideListings(text: string, kind: keyof typeof FENCE, edits: readonly Edit[]): Edit[] {
  const listings = listingsOf(text, FENCE[kind]);
  let next = 0;
  return edits.filter((edit) => {
    while ((listings[next]?.end ?? Number.POSITIVE_INFINITY) <= edit.start) next += 1;
    return edit.start < (listings[next]?.start ?? Number.POSITIVE_INFINITY);
  });
}

/** From a fence to the next of its kind that is as long, or to the end. */
function listingsOf(text: string, fence: RegExp): Span[] {
  const listings: Span[] = [];
  let open: { readonly mark: string; readonly start: number } | null = null;
  for (const match of text.matchAll(fence)) {
    const mark = match[1] ?? '';
    if (open === null) open = { mark, start: match.index };
    else if (mark[0] === open.mark[0] && mark.length >= open.mark.length) {
      listings.push({ start: open.start, end: match.index + match[0].length });
      open = null;
    }
  }
  return open === null ? listings : [...listings, { start: open.start, end: text.length }];
}
