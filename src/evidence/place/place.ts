import type { CanonicalText, Span } from '../../domain/document.ts';

/** What is known of where a quote should stand. */
export type Claim = {
  /** The page that the model named, by number or printed label. */
  readonly page?: number | null | undefined;
  /** The line that the model named, counted as `CanonicalText.lines` does. */
  readonly line?: number | null | undefined;
  /** What was in the prompts. */
  readonly seen?: readonly Span[] | undefined;
  /** The part of the document that the answer came from. */
  readonly near?: Span | null | undefined;
};

/** Whether any part of the span stands on the page with this number or printed label. */
export function isOnPage(content: CanonicalText, span: Span, page: number | null): boolean {
  if (page === null) return false;
  return content.pages.some(
    ({ number, label, start, end }) => (number === page || label === String(page)) && start < span.end && span.start < end,
  );
}

/** Whether any part of the span stands on a line with this number: of the page in a PDF, else of the file. */
export function isOnLine(content: CanonicalText, span: Span, line: number | null): boolean {
  if (line === null) return false;
  const { start, number } = content.lines;
  let index = lineAt(start, span.start);
  while (index < start.length && (start[index] ?? 0) < Math.max(span.end, span.start + 1)) {
    if (number[index] === line) return true;
    index += 1;
  }
  return false;
}

/** Index of the line that holds the offset. */
function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Whether every character of the span stands in one of these spans, or in several that touch. */
export function isInside(spans: readonly Span[], span: Span): boolean {
  let reached = span.start;
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    if (start > reached) break;
    reached = Math.max(reached, end);
    if (reached >= span.end) return true;
  }
  return false;
}

/** How badly a place fits a claim, 0 the best: seen before near, near before the page, the page before the line. */
export function misfit(content: CanonicalText, span: Span, claim: Claim): number {
  const isSeen = claim.seen === undefined || isInside(claim.seen, span);
  const isNear = claim.near === undefined || claim.near === null || isInside([claim.near], span);
  const isThere = isOnPage(content, span, claim.page ?? null);
  const isThatLine = isOnLine(content, span, claim.line ?? null);
  return (isSeen ? 0 : 8) + (isNear ? 0 : 4) + (isThere ? 0 : 2) + (isThatLine ? 0 : 1);
}
