import { DocumentFailure } from '../document-failure.ts';

/** UTF-32 is no WHATWG encoding, and still what some tools write. */
const UTF_32: ReadonlyMap<string, string> = new Map([
  ['utf-32', 'utf-32le'],
  ['utf32', 'utf-32le'],
  ['utf-32le', 'utf-32le'],
  ['utf-32be', 'utf-32be'],
]);

const REPLACEMENT = 0xfffd;
const CODE_POINTS_PER_CALL = 8192;

/** WHATWG name of an encoding label, `utf-32le` or `utf-32be`; `null` for an unknown one. */
export function encodingOf(label: string): string | null {
  const utf32 = UTF_32.get(label.trim().toLowerCase());
  if (utf32 !== undefined) return utf32;
  try {
    return new TextDecoder(label).encoding;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Text of bytes in an encoding that `encodingOf` names; `null` when they are not valid in it. */
export function decodeAs(bytes: Uint8Array, encoding: string): string | null {
  if (encoding === 'utf-32le' || encoding === 'utf-32be') return decodeUtf32(bytes, encoding === 'utf-32le');
  try {
    const decoder = new TextDecoder(encoding, { fatal: true });
    // Node 20 decodes windows-1252 as Latin-1 (0x80 stays U+0080) unless asked to stream; an extra call flushes.
    return decoder.decode(bytes, { stream: true }) + decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Like `encodingOf`, for a label that the manifest states. Throws `DocumentFailure` (`document_bad_text`) for an unknown one. */
export function statedEncoding(label: string): string {
  const encoding = encodingOf(label);
  if (encoding === null) throw new DocumentFailure('document_bad_text', `"${label}" is not a known charset`);
  return encoding;
}

function decodeUtf32(bytes: Uint8Array, isLittleEndian: boolean): string | null {
  if (bytes.length % 4 !== 0) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pieces: string[] = [];
  let codePoints: number[] = [];
  for (let at = 0; at < bytes.length; at += 4) {
    const codePoint = view.getUint32(at, isLittleEndian);
    if (codePoint > 0x10ffff) return null;
    codePoints.push(codePoint >= 0xd800 && codePoint <= 0xdfff ? REPLACEMENT : codePoint);
    if (codePoints.length < CODE_POINTS_PER_CALL) continue;
    pieces.push(String.fromCodePoint(...codePoints));
    codePoints = [];
  }
  pieces.push(String.fromCodePoint(...codePoints));
  return pieces.join('');
}
