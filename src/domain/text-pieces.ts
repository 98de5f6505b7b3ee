import type { Span } from './document.ts';

/** A shorter text is not worth a reference, and would be found where it only happens to stand. */
const SHORTEST_REFERENCE = 64;

/**
 * A message in pieces that joined are the message again: strings, and in the place of `[start, end)` of a document's text its span. `null`
 * when the message does not hold that text, or it is too short to be told from chance.
 */
export function textPieces(message: string, text: string, span: Span): readonly (string | Span)[] | null {
  const asked = text.slice(span.start, span.end);
  if (asked.length < SHORTEST_REFERENCE || !message.includes(asked)) return null;
  const reference = { start: span.start, end: span.end };
  return message.split(asked).flatMap((between, index) => [...(index > 0 ? [reference] : []), ...(between === '' ? [] : [between])]);
}
