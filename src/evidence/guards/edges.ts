import { CHARACTER, classAt } from '../match/characters.ts';

/** The text around the two ends of a span, and the span's own ends: all that decides whether it cuts something. */
export type Edges = { readonly before: string; readonly head: string; readonly tail: string; readonly after: string };

/** Characters on each side: enough to see that the line before is an item of a list. */
const CONTEXT = 120;

/** The edges of the span `[start, end)`; `marks[i] === 1` leaves out the text's character i; what cannot be seen is left out too. */
export function edgesOf(text: string, marks: Uint8Array | null, { start, end }: { start: number; end: number }): Edges {
  return {
    // A text begins like a line of it.
    before: (start <= CONTEXT ? '\n' : '') + without(text, marks, Math.max(0, start - CONTEXT), start),
    head: without(text, marks, start, Math.min(end, start + CONTEXT)),
    tail: without(text, marks, Math.max(start, end - CONTEXT), end),
    after: without(text, marks, end, Math.min(text.length, end + CONTEXT)),
  };
}

function without(text: string, marks: Uint8Array | null, start: number, end: number): string {
  let kept = '';
  for (let i = start; i < end; i += 1) if (marks?.[i] !== 1 && classAt(text, i) !== CHARACTER.ignored) kept += text.charAt(i);
  return kept;
}
