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
 * A sentence of the text, copied as it stands, near the place that `draw` (in [0, 1)) names; where there is none of 40 to 300
 * characters, the longest line. `null` when that has fewer than 12. Looks at a few thousand characters only, however long the text is.
 */
export function sentenceNear(text: string, draw: number): string | null {
  const start = Math.floor(draw * Math.max(1, text.length - WINDOW));
  const beginning = text.slice(0, WINDOW);
  const found = SENTENCE.exec(text.slice(start, start + WINDOW)) ?? SENTENCE.exec(beginning);
  return found?.[0] ?? longestLine(beginning);
}

const SHORTEST_LINE = 12;
const LONGEST_LINE = 300;

function longestLine(text: string): string | null {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(({ length }) => length >= SHORTEST_LINE && length <= LONGEST_LINE);
  return lines.reduce<string | null>((longest, line) => (line.length > (longest?.length ?? 0) ? line : longest), null);
}
