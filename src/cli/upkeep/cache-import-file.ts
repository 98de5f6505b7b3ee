import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { readCacheLine } from '../../store/cache-file.ts';
import type { CacheEntry } from '../../store/cache-store.ts';
import { numberedLines } from '../documents/numbered-lines.ts';
import type { CliIo } from '../io.ts';
import { shellWord } from '../terminal/shell-word.ts';

export const STDIN = '-';

/** An entry of a file, or why a line of it is refused. */
export type ReadLine = { readonly number: number } & (
  | { readonly entry: CacheEntry; readonly characters: number }
  | { readonly problem: string }
);

/** A file that is not read, or not to its end. */
export class FileRefused extends Error {
  /** `null`: the file as a whole. */
  readonly line: number | null;
  /** The file is not there, or the system does not let it be read. */
  readonly isUnreadable: boolean;
  readonly next: readonly string[];

  constructor(message: string, options: { line?: number; isUnreadable?: boolean; next?: readonly string[]; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.line = options.line ?? null;
    this.isUnreadable = options.isUnreadable === true;
    this.next = options.next ?? ['aieval cache export cache.jsonl, where the answers are'];
  }
}

/** Lines of an exported cache. Throws `FileRefused` for a file that is none, or cannot be read. */
export async function* cacheLines(io: CliIo, file: string): AsyncGenerator<ReadLine, void> {
  let isFirst = true;
  for await (const line of numberedLines(bytesOf(io, file))) {
    const read = 'text' in line ? readCacheLine(line.text) : { kind: 'fault' as const, problem: line.problem };
    if (isFirst && read.kind !== 'header') throw notACache(read.kind === 'fault' ? read.problem : 'no header', line.number);
    isFirst = false;
    if (read.kind === 'fault') yield { number: line.number, problem: read.problem };
    if (read.kind === 'entry') yield { number: line.number, entry: read.entry, characters: 'text' in line ? line.text.length : 0 };
  }
  if (isFirst) throw notACache('it is empty', null);
}

function notACache(problem: string, line: number | null): FileRefused {
  return new FileRefused(`not an exported cache (${problem}); nothing of it was imported`, line === null ? {} : { line });
}

async function* bytesOf(io: CliIo, file: string): AsyncGenerator<string | Buffer, void> {
  try {
    let isFirst = true;
    for await (const chunk of file === STDIN ? io.stdin() : createReadStream(resolve(io.cwd, file))) {
      if (isFirst) refusePacked(Buffer.from(chunk), file);
      isFirst = false;
      yield chunk;
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!/^E[A-Z0-9]+$/.test(code)) throw error;
    throw new FileRefused(`cannot be read (${code})`, { isUnreadable: true, cause: error });
  }
}

const PACKED: readonly { readonly start: string; readonly name: string; readonly unpack: string }[] = [
  { start: '1f8b', name: 'gzip', unpack: 'gunzip -c' },
  { start: '28b52ffd', name: 'zstd', unpack: 'zstd -dc' },
  { start: 'fd377a58', name: 'xz', unpack: 'xz -dc' },
  { start: '504b0304', name: 'zip', unpack: 'unzip -p' },
];

function refusePacked(bytes: Buffer, file: string): void {
  const packed = PACKED.find(({ start }) => bytes.subarray(0, start.length / 2).toString('hex') === start);
  if (packed === undefined) return;
  const input = file === STDIN ? '' : ` ${shellWord(file)}`;
  throw new FileRefused(`packed with ${packed.name}; nothing of it was imported`, {
    next: [`${packed.unpack}${input} | aieval cache import -`],
  });
}
