import { patternOf } from '../normalise.ts';
import { decodeAs } from './charset.ts';

export type Utf16 = 'utf-16le' | 'utf-16be';
type Mark = { readonly encoding: Utf16 | 'utf-32le' | 'utf-32be'; readonly length: number };

/** Looked at to tell the byte order of UTF-16; even, and more than any preamble needs. */
const SAMPLE_BYTES = 4096;
/** Of fewer characters nothing can be told. */
const LEAST_UNITS = 8;
/** A byte-order mark is overruled only by a clear majority. */
const CLEARLY = 2;

/** No control character but white space, and no character that is none. */
const NO_TEXT = patternOf([
  [0x00, 0x08],
  [0x0e, 0x1a],
  [0x1c, 0x1f],
  [0xfdd0, 0xfdef],
  [0xfffe, 0xffff],
]);

/** Byte-order mark of UTF-16 or UTF-32 that a file begins with; `null` without one. */
export function wideMark(bytes: Uint8Array): Mark | null {
  const [a, b, c, d] = bytes;
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return { encoding: 'utf-32be', length: 4 };
  // As UTF-16, it would be a text that begins with NUL.
  if (a === 0xff && b === 0xfe && c === 0 && d === 0 && bytes.length % 4 === 0) return { encoding: 'utf-32le', length: 4 };
  if (a === 0xff && b === 0xfe) return { encoding: 'utf-16le', length: 2 };
  return a === 0xfe && b === 0xff ? { encoding: 'utf-16be', length: 2 } : null;
}

/** Byte order that UTF-16 text clearly has, whatever its mark says; `null` when it can be either. */
export function clearOrder(body: Uint8Array): Utf16 | null {
  const { even, odd, units } = distinctBytes(body);
  if (units < LEAST_UNITS) return null;
  if (even > CLEARLY * odd) return 'utf-16le';
  return odd > CLEARLY * even ? 'utf-16be' : null;
}

/** Text of UTF-16 or UTF-32 without a mark, told by the NULs in it; `null` when the bytes are none. */
export function unmarkedWideText(bytes: Uint8Array): { readonly text: string; readonly encoding: string } | null {
  for (const encoding of candidates(bytes)) {
    const text = decodeAs(bytes, encoding);
    if (text !== null && text.search(NO_TEXT) < 0) return { text, encoding };
  }
  return null;
}

function candidates(bytes: Uint8Array): readonly string[] {
  const { even, odd } = distinctBytes(bytes);
  const utf16 = even === odd ? [] : [even > odd ? 'utf-16le' : 'utf-16be'];
  return bytes.length % 4 === 0 ? ['utf-32le', 'utf-32be', ...utf16] : bytes.length % 2 === 0 ? utf16 : [];
}

/**
 * How many different bytes stand at even and at odd offsets. The high bytes of a script are few, its low bytes many: unlike NULs, this
 * holds for Chinese too, where U+4E00 and U+3000 have their NUL on the other side.
 */
function distinctBytes(body: Uint8Array): { even: number; odd: number; units: number } {
  const length = Math.min(body.length - (body.length % 2), SAMPLE_BYTES);
  const even = new Set<number>();
  const odd = new Set<number>();
  for (let at = 0; at < length; at += 2) {
    even.add(body[at] ?? 0);
    odd.add(body[at + 1] ?? 0);
  }
  return { even: even.size, odd: odd.size, units: length / 2 };
}
