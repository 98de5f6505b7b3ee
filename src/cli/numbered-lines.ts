/** A line without its end; `null` where it is longer than a line may be. */
export type NumberedLine = { readonly number: number; readonly text: string | null };

/** Far above any prompt; a file without line ends must not fill the memory. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** Lines of a stream of text, from 1, without empty ones. Split at line feeds only, because JSON strings may hold other line ends. */
export async function* numberedLines(chunks: AsyncIterable<string | Buffer>): AsyncGenerator<NumberedLine, void> {
  let number = 1;
  let text: string | null = '';
  for await (const chunk of chunks) {
    const [head = '', ...rest] = String(chunk).split('\n');
    text = joined(text, head);
    for (const piece of rest) {
      if (text === null || text.trim() !== '') yield { number, text };
      number += 1;
      text = piece;
    }
  }
  if (text === null || text.trim() !== '') yield { number, text };
}

function joined(text: string | null, more: string): string | null {
  return text === null || text.length + more.length > LONGEST_LINE ? null : text + more;
}
