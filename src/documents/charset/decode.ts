import { DocumentFailure } from '../document-failure.ts';
import { badBytesOf, brokenHyphens, damagedUtf8, firstBadByte, furtherBadBytes } from './bad-bytes.ts';
import { decodeAs, statedEncoding } from './charset.ts';
import { declaredCharset } from './declared-charset.ts';
import { detectCharset, looksWindows1252 } from './detect-charset.ts';
import { decodeStrictUtf8 } from './utf8.ts';
import { clearOrder, unmarkedWideText, wideMark } from './wide-text.ts';

export type Decoded = { readonly text: string; readonly warnings: readonly string[] };

/** Encodings whose bytes can look like UTF-8: there the manifest's word comes first. */
const TAKEN_FOR_UTF8: ReadonlySet<string> = new Set(['utf-16le', 'utf-16be', 'utf-32le', 'utf-32be', 'iso-2022-jp']);

/** Japanese in seven bits: its escapes stand in no other text. */
const TO_JAPANESE = ['\u001b$B', '\u001b$@'];

/**
 * Text of a file: by its byte-order mark, else as strict UTF-8, else as the manifest (`charset`) or the file itself declares, else as
 * its bytes look — with a warning. Throws `DocumentFailure`: `document_bad_text` with the first byte that does not fit when that is
 * not sure, `document_unreadable` for NULs that no encoding explains.
 */
export async function decodeText(bytes: Uint8Array, declared: { charset: string | null; html: boolean }): Promise<Decoded> {
  const marked = decodeMarked(bytes);
  if (marked !== null) return marked;
  const charset = declared.charset === null ? null : statedEncoding(declared.charset);
  if (charset !== null && TAKEN_FOR_UTF8.has(charset)) return certain(decodeStated(bytes, charset));
  if (bytes.includes(0)) return decodeWithNuls(bytes);
  const utf8 = decodeStrictUtf8(bytes);
  if (utf8 !== null) return decodeEscapes(bytes, utf8);
  if (charset !== null && charset !== 'utf-8') return certain(decodeStated(bytes, charset));
  const own = declaredCharset(bytes, declared.html);
  const text = own === null || own === 'utf-8' ? null : decodeAs(bytes, own);
  return text === null ? guess(bytes) : certain(text);
}

function certain(text: string): Decoded {
  return { text, warnings: [] };
}

function decodeStated(bytes: Uint8Array, encoding: string): string {
  const text = decodeAs(bytes, encoding);
  if (text !== null) return text;
  throw new DocumentFailure('document_bad_text', `the bytes are not valid ${encoding}; state the right "charset" in the manifest`);
}

function decodeMarked(bytes: Uint8Array): Decoded | null {
  const mark = wideMark(bytes);
  if (mark === null) return null;
  const body = bytes.subarray(mark.length);
  const order = mark.length === 2 ? clearOrder(body) : null;
  if (order === null || order === mark.encoding) return certain(decodeStated(body, mark.encoding));
  return { text: decodeStated(body, order), warnings: [`the byte-order mark says ${mark.encoding}, the text is ${order}`] };
}

function decodeWithNuls(bytes: Uint8Array): Decoded {
  const wide = unmarkedWideText(bytes);
  if (wide === null) {
    throw new DocumentFailure('document_unreadable', 'it looks like a binary file (it holds NUL bytes), which is not supported');
  }
  return { text: wide.text, warnings: [`no byte-order mark; read as ${wide.encoding}, because of the NUL bytes in it`] };
}

function decodeEscapes(bytes: Uint8Array, utf8: string): Decoded {
  const japanese = TO_JAPANESE.some((sequence) => utf8.includes(sequence)) ? decodeAs(bytes, 'iso-2022-jp') : null;
  return japanese === null
    ? certain(utf8)
    : { text: japanese, warnings: ['charset guessed: iso-2022-jp, because of its escape sequences'] };
}

async function guess(bytes: Uint8Array): Promise<Decoded> {
  const bad = badBytesOf(bytes);
  const first = firstBadByte(bytes, bad);
  const others = furtherBadBytes(bad);
  const damaged = damagedUtf8(bytes, bad);
  if (damaged !== null) return { text: damaged, warnings: [`not valid UTF-8: ${first}${others}; replaced by U+FFFD`] };
  const hyphens = brokenHyphens(bytes, bad);
  if (hyphens !== null) {
    return { text: hyphens, warnings: [`not valid UTF-8: ${first}${others}; read as soft hyphens, because they part words at line ends`] };
  }
  const detected = await detectCharset(bytes);
  if (detected === null) throw notUtf8(bytes, first);
  const { text, encoding, confidence } = detected;
  return { text, warnings: [`charset guessed: ${encoding} (${confidence} % sure; ${first} is not valid UTF-8)`] };
}

function notUtf8(bytes: Uint8Array, first: string): DocumentFailure {
  // windows-1252 decodes nearly any bytes: advised for Japanese or Russian, it would have garbage evaluated.
  const advice = looksWindows1252(bytes)
    ? 'if that is its encoding, set "charset": "windows-1252" for it in the manifest'
    : 'set the "charset" in which it was written for it in the manifest, such as "shift_jis", "gb18030", "euc-kr" or "windows-1251"';
  return new DocumentFailure('document_bad_text', `${first} is not valid UTF-8; ${advice}`);
}
