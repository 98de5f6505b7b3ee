import { sequenceLength } from './utf8.ts';

/** Bytes that break UTF-8. */
export type BadBytes = { readonly offsets: readonly number[]; readonly goodSequences: number };

/** More are no accident: the file is in another encoding. */
const MOST_LISTED = 100;
/** One bad byte among this many good sequences is an accident. */
const GOOD_PER_BAD = 2;

/** Offsets of the bytes that break UTF-8 (the first hundred and one), and how many sequences of two bytes or more are good. */
export function badBytesOf(bytes: Uint8Array): BadBytes {
  const offsets: number[] = [];
  let goodSequences = 0;
  for (let at = 0; at < bytes.length && offsets.length <= MOST_LISTED; ) {
    const length = sequenceLength(bytes, at);
    if (length === 0) offsets.push(at);
    if (length > 1) goodSequences += 1;
    at += Math.max(1, length);
  }
  return { offsets, goodSequences };
}

/** How many there are beside the first, as ` and 27 more`; nothing for none. */
export function furtherBadBytes({ offsets }: BadBytes): string {
  if (offsets.length === 1) return '';
  return offsets.length > MOST_LISTED ? ' and many more' : ` and ${offsets.length - 1} more`;
}

/** The first bad byte, as `byte 0xED at offset 654`. */
export function firstBadByte(bytes: Uint8Array, { offsets }: BadBytes): string {
  const offset = offsets[0] ?? 0;
  return `byte 0x${(bytes[offset] ?? 0).toString(16).toUpperCase().padStart(2, '0')} at offset ${offset}`;
}

/** UTF-8 in which a few bytes are damaged: they become U+FFFD. `null` when the file is none. */
export function damagedUtf8(bytes: Uint8Array, bad: BadBytes): string | null {
  const few = bad.offsets.length <= MOST_LISTED && bad.offsets.length * GOOD_PER_BAD <= bad.goodSequences;
  return few ? new TextDecoder('utf-8').decode(bytes) : null;
}

/**
 * ASCII in which one foreign byte stands only at line ends inside words: the soft hyphen of a typesetting program, whatever its
 * code. It becomes U+00AD. `null` when the file is none.
 */
export function brokenHyphens(bytes: Uint8Array, bad: BadBytes): string | null {
  const code = bytes[bad.offsets[0] ?? 0];
  if (bad.goodSequences > 0 || bad.offsets.length > MOST_LISTED) return null;
  if (!bad.offsets.every((at) => bytes[at] === code && partsWord(bytes, at))) return null;
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/[\u0080-\u00ff]/g, '\u00ad');
}

function partsWord(bytes: Uint8Array, at: number): boolean {
  if (!isLetter(bytes[at - 1] ?? 0)) return false;
  let next = at + 1;
  if (bytes[next] === 0x0d) next += 1;
  if (bytes[next] !== 0x0a) return false;
  do next += 1;
  while (bytes[next] === 0x20);
  return isLetter(bytes[next] ?? 0);
}

function isLetter(byte: number): boolean {
  return (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
}
