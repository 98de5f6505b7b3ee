import { DocumentFailure } from './document-failure.ts';
import { decodeStrictUtf8, firstBadUtf8Byte } from './utf8.ts';

export type Decoded = { readonly text: string; readonly warnings: readonly string[] };

/** Encodings whose bytes can look like UTF-8: there the manifest's word comes first. */
const TAKEN_FOR_UTF8: ReadonlySet<string> = new Set(['utf-16le', 'utf-16be', 'iso-2022-jp']);

/** How far into an HTML file a `<meta charset>` counts (WHATWG prescan). */
const META_PRESCAN_BYTES = 1024;

/** Looked at to tell the byte order of UTF-16; even, and more than any preamble needs. */
const PARITY_SAMPLE_BYTES = 4096;

/**
 * Text of a file: by its byte-order mark, else as strict UTF-8, else as the manifest (`charset`) or the HTML itself declares. Never
 * guesses: throws `DocumentFailure` of reason `document_bad_text` with the offset of the first byte that does not fit.
 */
export function decodeText(bytes: Uint8Array, declared: { charset: string | null; html: boolean }): Decoded {
  const mark = utf16Mark(bytes);
  if (mark !== null) return decodeUtf16(bytes.subarray(2), mark);
  const charset = declared.charset === null ? null : encodingOf(declared.charset);
  if (charset !== null && TAKEN_FOR_UTF8.has(charset)) return { text: decodeAs(bytes, charset), warnings: [] };
  const utf8 = decodeStrictUtf8(bytes);
  if (utf8 !== null) return { text: utf8, warnings: [] };
  const stated = charset ?? (declared.html ? metaCharset(bytes) : null);
  if (stated === null || stated === 'utf-8') throw notUtf8(bytes);
  return { text: decodeAs(bytes, stated), warnings: [] };
}

/** Whether the bytes hold NULs that no declared encoding explains: not a text. */
export function looksBinary(bytes: Uint8Array, charset: string | null): boolean {
  if (utf16Mark(bytes) !== null) return false;
  if (charset !== null && encodingOf(charset).startsWith('utf-16')) return false;
  return bytes.includes(0);
}

/** WHATWG name of an encoding label. Throws `DocumentFailure` (`document_bad_text`) for an unknown one. */
function encodingOf(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch (error) {
    if (error instanceof RangeError) throw new DocumentFailure('document_bad_text', `"${label}" is not a known charset`, { cause: error });
    throw error;
  }
}

function decodeAs(bytes: Uint8Array, encoding: string): string {
  try {
    const decoder = new TextDecoder(encoding, { fatal: true });
    // Node 20 decodes windows-1252 as Latin-1 (0x80 stays U+0080) unless asked to stream; an extra call flushes.
    return decoder.decode(bytes, { stream: true }) + decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new DocumentFailure('document_bad_text', `the bytes are not valid ${encoding}; state the right "charset" in the manifest`, {
      cause: error,
    });
  }
}

/** Of the bytes of a text in Latin letters, fewer than this share are letters with marks, or signs. */
const LATIN_SHARE = 0.3;
/** And of those, fewer than this share touch another one: letters of other scripts stand in words, and take two bytes in the East. */
const LATIN_TOUCHING_SHARE = 0.5;
const SAMPLE_BYTES = 65_536;

function notUtf8(bytes: Uint8Array): DocumentFailure {
  const offset = firstBadUtf8Byte(bytes);
  const byte = (bytes[offset] ?? 0).toString(16).toUpperCase().padStart(2, '0');
  // windows-1252 decodes nearly any bytes: advised for Japanese or Russian, it would have garbage evaluated.
  const advice = looksLatin(bytes)
    ? 'if that is its encoding, set "charset": "windows-1252" for it in the manifest'
    : 'set the "charset" in which it was written for it in the manifest, such as "shift_jis", "gb18030", "euc-kr" or "windows-1251"';
  return new DocumentFailure('document_bad_text', `byte 0x${byte} at offset ${offset} is not valid UTF-8; ${advice}`);
}

/** Whether it may be windows-1252: few bytes above ASCII, most of them alone, and none of the five that it does not assign. */
function looksLatin(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const isAbove = (index: number): boolean => (sample[index] ?? 0) >= 0x80;
  const above = [...sample.keys()].filter(isAbove);
  const touching = above.filter((index) => isAbove(index - 1) || isAbove(index + 1));
  if (above.length >= sample.length * LATIN_SHARE || touching.length >= above.length * LATIN_TOUCHING_SHARE) return false;
  return !above.some((index) => UNASSIGNED_IN_1252.has(sample[index] ?? 0));
}

const UNASSIGNED_IN_1252: ReadonlySet<number> = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);

function utf16Mark(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return null;
}

/** A mark can lie: in Latin text the NUL of each pair tells the true order. */
function decodeUtf16(body: Uint8Array, marked: 'utf-16le' | 'utf-16be'): Decoded {
  const found = orderByNuls(body);
  if (found === null || found === marked) return { text: decodeAs(body, marked), warnings: [] };
  return { text: decodeAs(body, found), warnings: [`the byte-order mark says ${marked}, the text is ${found}`] };
}

function orderByNuls(body: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  let atEven = 0;
  let atOdd = 0;
  for (const [index, byte] of body.subarray(0, PARITY_SAMPLE_BYTES).entries()) {
    if (byte !== 0) continue;
    if (index % 2 === 0) atEven += 1;
    else atOdd += 1;
  }
  if (atOdd > 2 * atEven) return 'utf-16le';
  return atEven > 2 * atOdd ? 'utf-16be' : null;
}

function metaCharset(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, META_PRESCAN_BYTES)).toString('latin1');
  const label = /<meta[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)?.[1];
  return label === undefined ? null : encodingOf(label);
}
