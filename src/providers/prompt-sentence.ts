/** A fence's mark: hexadecimal, derived from the document's hash, on the line before and on the line after the document. */
const FENCE_MARK = /[0-9a-f]{8,64}/g;
const WINDOW = 4000;
/** From a capital after white space to the next full stop before white space, across single line breaks. */
const SENTENCE = /(?<=^|\s)[A-Z](?:[^.!?\n]|[.!?](?!\s)|\n(?!\s*\n)){38,300}[.!?](?=\s|$)/;

/**
 * The part of a prompt between its fence lines: between the two lines farthest apart that share a mark. The whole prompt when
 * there is no such pair.
 */
export function fencedText(prompt: string): string {
  const first = new Map<string, number>();
  let best = { start: 0, end: 0 };
  for (const match of prompt.matchAll(FENCE_MARK)) {
    const [mark] = match;
    const opened = first.get(mark);
    if (opened === undefined) first.set(mark, match.index);
    else if (match.index - opened > best.end - best.start) best = { start: opened, end: match.index };
  }
  const start = prompt.indexOf('\n', best.start) + 1;
  const end = prompt.lastIndexOf('\n', best.end);
  return best.end > 0 && start > 0 && start < end ? prompt.slice(start, end) : prompt;
}

/**
 * A sentence of the text, copied as it stands, near the place that `draw` (in [0, 1)) names. `null` when the text has none of 40
 * to 300 characters. Looks at a few thousand characters only, however long the text is.
 */
export function sentenceNear(text: string, draw: number): string | null {
  const start = Math.floor(draw * Math.max(1, text.length - WINDOW));
  const here = SENTENCE.exec(text.slice(start, start + WINDOW));
  return (here ?? SENTENCE.exec(text.slice(0, WINDOW)))?.[0] ?? null;
}
