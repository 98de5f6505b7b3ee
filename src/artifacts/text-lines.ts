/** `isWhole` is false for a last line that no line feed ends. */
export type NumberedLine = { readonly number: number; readonly text: string; readonly isWhole: boolean };

/** A line that is longer than `MOST_UNITS`: whoever made it, no result is in it. */
export class TooLongLine extends Error {
  readonly number: number;

  constructor(number: number) {
    super(`Expected line ${number} to have at most ${MOST_UNITS} characters`);
    this.number = number;
  }
}

const MOST_UNITS = 128 * 1024 * 1024;

/**
 * The lines of UTF-8 text but for blank ones, numbered from 1. Split at line feeds only: `readline` would also split at U+2028, which JSON
 * strings may hold as they are. Throws `TooLongLine`.
 */
export async function* linesOf(bytes: AsyncIterable<string | Uint8Array>): AsyncGenerator<NumberedLine, undefined> {
  let begun: string[] = [];
  let units = 0;
  let number = 1;
  for await (const chunk of decoded(bytes)) {
    const [first = '', ...others] = chunk.split('\n');
    begun.push(first);
    units += first.length;
    if (units > MOST_UNITS) throw new TooLongLine(number);
    for (const piece of others) {
      const text = begun.join('');
      if (text.trim() !== '') yield { number, text, isWhole: true };
      number += 1;
      begun = [piece];
      units = piece.length;
    }
  }
  const text = begun.join('');
  if (text.trim() !== '') yield { number, text, isWhole: false };
  return undefined;
}

/** Without the byte order mark that some shells put in front of what they redirect. */
async function* decoded(bytes: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of bytes) yield decoder.decode(typeof chunk === 'string' ? Buffer.from(chunk) : chunk, { stream: true });
  yield decoder.decode();
}
