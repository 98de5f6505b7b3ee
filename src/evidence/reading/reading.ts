import type { Span } from '../../domain/document.ts';

/**
 * What a reader reads in place of a stretch of the source: the character of an entity, nothing for the mark of a command. `hidden`: what
 * else it says, the target of a link; a quote that shows it must show this one.
 */
export type Edit = Span & { readonly text: string; readonly hidden?: string | undefined };

/** A text as a reader of the finished page reads it, and the way back to its source. */
export type Reading = {
  readonly text: string;
  /** In order, none inside another. */
  readonly edits: readonly Edit[];
  /** Offset in `text` of each edit. */
  readonly starts: readonly number[];
};

/** The edits in order; of two that overlap the first. */
export function withoutOverlap(edits: readonly Edit[]): Edit[] {
  let end = 0;
  return [...edits]
    .sort((a, b) => a.start - b.start || a.end - b.end)
    .filter((edit) => {
      const isFree = edit.start >= end;
      if (isFree) end = edit.end;
      return isFree;
    });
}

/** The source with its edits applied; `edits` in order, without overlap. */
export function readingOf(source: string, edits: readonly Edit[]): Reading {
  if (edits.length === 0) return { text: source, edits, starts: [] };
  const pieces: string[] = [];
  const starts: number[] = [];
  let from = 0;
  let length = 0;
  for (const edit of edits) {
    pieces.push(source.slice(from, edit.start), edit.text);
    length += edit.start - from;
    starts.push(length);
    length += edit.text.length;
    from = edit.end;
  }
  pieces.push(source.slice(from));
  return { text: pieces.join(''), edits, starts };
}

/** A span of the reading; `source`: the source's own, where it begins or ends in what a reader does not see. */
export type Place = Span & { readonly source?: Span | undefined };

/** The source's span of a span of the reading. */
export function toSource(reading: Reading, { start, end, source }: Place): Span {
  if (source !== undefined) return source;
  if (reading.edits.length === 0) return { start, end };
  const first = sourceOf(reading, start);
  return { start: first.start, end: end > start ? sourceOf(reading, end - 1).end : first.start };
}

/** Where the source has the reading's character at `offset`. */
function sourceOf({ edits, starts }: Reading, offset: number): Span {
  const index = lastAtMost(starts.length, (i) => starts[i] ?? 0, offset);
  const edit = edits[index];
  if (edit === undefined) return { start: offset, end: offset + 1 };
  const beyond = offset - (starts[index] ?? 0) - edit.text.length;
  return beyond < 0 ? { start: edit.start, end: edit.end } : { start: edit.end + beyond, end: edit.end + beyond + 1 };
}

/** The reading's span of a span of the source; `null` when it begins or ends inside an edit. */
export function fromSource(reading: Reading, { start, end }: Span): Span | null {
  const first = offsetOf(reading, start);
  const last = offsetOf(reading, end);
  return first === null || last === null || last <= first ? null : { start: first, end: last };
}

/** The reading's place of a span of the source that begins or ends inside what an edit hides, in a link's target; `null` in any other edit. */
export function placeInHidden(reading: Reading, source: Span): Place | null {
  const [start, end] = [source.start, source.end].map((offset) => offsetOf(reading, offset) ?? hiddenAt(reading, offset));
  return start === undefined || end === undefined || start === null || end === null ? null : { start, end: Math.max(start, end), source };
}

/** The reading's offset of the edit that `offset` is inside of, if it hides something. */
function hiddenAt({ edits, starts }: Reading, offset: number): number | null {
  const index = lastAtMost(edits.length, (i) => edits[i]?.start ?? 0, offset);
  return edits[index]?.hidden === undefined ? null : (starts[index] ?? null);
}

/** What the edits beside and inside `[start, end]` of the reading hide, each with its offset there. */
export function hiddenIn({ edits, starts }: Reading, { start, end }: Span): { readonly at: number; readonly hidden: string }[] {
  const found: { at: number; hidden: string }[] = [];
  for (let i = lastAtMost(starts.length, (k) => starts[k] ?? 0, start - 1) + 1; i < edits.length; i += 1) {
    const [at, hidden] = [starts[i] ?? 0, edits[i]?.hidden];
    if (at > end) break;
    if (hidden !== undefined) found.push({ at, hidden: hidden.replace(/\s+/g, ' ').trim() });
  }
  return found;
}

function offsetOf({ edits, starts }: Reading, offset: number): number | null {
  const index = lastAtMost(edits.length, (i) => edits[i]?.end ?? 0, offset);
  const next = edits[index + 1];
  if (next !== undefined && next.start < offset) return null;
  const edit = edits[index];
  return edit === undefined ? offset : (starts[index] ?? 0) + edit.text.length + offset - edit.end;
}

/** Index of the last of `count` ascending values that is at most `limit`; -1 if none is. */
function lastAtMost(count: number, valueAt: (index: number) => number, limit: number): number {
  let low = 0;
  let high = count - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (valueAt(middle) <= limit) low = middle + 1;
    else high = middle - 1;
  }
  return high;
}
