/** The text around the two ends of a span, and the span's own ends: all that decides whether it cuts something. */
export type Edges = { readonly before: string; readonly head: string; readonly tail: string; readonly after: string };

/** Characters on each side. */
const CONTEXT = 40;

/** The edges of the span `[start, end)`; `marks[i] === 1` leaves out the text's character i around the span. */
export function edgesOf(text: string, marks: Uint8Array | null, { start, end }: { start: number; end: number }): Edges {
  return {
    before: without(text, marks, Math.max(0, start - CONTEXT), start),
    head: text.slice(start, Math.min(end, start + CONTEXT)),
    tail: text.slice(Math.max(start, end - CONTEXT), end),
    after: without(text, marks, end, Math.min(text.length, end + CONTEXT)),
  };
}

function without(text: string, marks: Uint8Array | null, start: number, end: number): string {
  const piece = text.slice(start, end);
  return marks === null ? piece : Array.from({ length: piece.length }, (_, i) => (marks[start + i] === 1 ? '' : piece.charAt(i))).join('');
}
