/** A line without its end, or why there is no text of it. */
export type NumberedLine = { readonly number: number } & ({ readonly text: string } | { readonly problem: string });

/** Far above any prompt; a file without line ends must not fill the memory. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024;

const LINE_FEED = 0x0a;
const TOO_LONG = { problem: 'longer than a line can be' };
const NOT_UTF8 = { problem: 'not UTF-8' };

/**
 * Lines of a stream of bytes, from 1, without empty ones. Split at line feeds only, because JSON strings may hold other line ends; a
 * byte order mark at the start of a line is left out. Bytes that are no UTF-8 would be read as another text: they are told.
 */
export async function* numberedLines(chunks: AsyncIterable<string | Buffer>): AsyncGenerator<NumberedLine, void> {
  let number = 1;
  let line = new Line();
  for await (const chunk of inUtf8(chunks)) {
    for (let start = 0; start <= chunk.length; ) {
      const end = chunk.indexOf(LINE_FEED, start);
      line.add(chunk.subarray(start, end === -1 ? chunk.length : end));
      if (end === -1) break;
      yield* line.read(number);
      number += 1;
      line = new Line();
      start = end + 1;
    }
  }
  yield* line.read(number);
}

class Line {
  readonly #parts: Buffer[] = [];
  #sizeBytes = 0;

  add(part: Buffer): void {
    this.#sizeBytes += part.length;
    if (this.#sizeBytes <= LONGEST_LINE_BYTES) this.#parts.push(part);
    else this.#parts.length = 0;
  }

  *read(number: number): Generator<NumberedLine, void> {
    if (this.#sizeBytes > LONGEST_LINE_BYTES) yield { number, ...TOO_LONG };
    else {
      const text = decoded(Buffer.concat(this.#parts));
      if (text === null) yield { number, ...NOT_UTF8 };
      else if (text.trim() !== '') yield { number, text };
    }
  }
}

function decoded(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** What Windows shells write (`>` of PowerShell): the mark at the start says it. */
const UTF_16: readonly { readonly mark: Buffer; readonly name: string }[] = [
  { mark: Buffer.from([0xff, 0xfe]), name: 'utf-16le' },
  { mark: Buffer.from([0xfe, 0xff]), name: 'utf-16be' },
];

async function* inUtf8(chunks: AsyncIterable<string | Buffer>): AsyncGenerator<Buffer, void> {
  let head: Buffer | null = Buffer.alloc(0);
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  for await (const chunk of chunks) {
    let bytes: Buffer = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    if (head !== null) {
      bytes = Buffer.concat([head, bytes]);
      head = bytes.length < 2 ? bytes : null;
      if (head !== null) continue;
      const name = UTF_16.find(({ mark }) => bytes.subarray(0, 2).equals(mark))?.name;
      decoder = name === undefined ? null : new TextDecoder(name);
    }
    yield decoder === null ? bytes : Buffer.from(decoder.decode(bytes, { stream: true }));
  }
  if (head !== null) yield head;
}
