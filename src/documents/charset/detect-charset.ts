import { patternOf } from '../normalise.ts';
import { decodeAs, encodingOf } from './charset.ts';
import { isPlausible } from './plausible-text.ts';

/** A charset told by the look of the bytes. `confidence`: percent. */
export type Detected = { readonly text: string; readonly encoding: string; readonly confidence: number };

/** Detection of longer samples takes seconds, and finds nothing else. */
const SAMPLE_BYTES = 65_536;
/** Of lesser confidence, guesses on real text in the scripts that we tried were wrong as often as right. */
const LEAST_CONFIDENCE = 40;
/** And a guess must lead the next one by this much. */
const LEAST_LEAD = 20;

/** The encodings whose letters are Latin: the ones that also "fit" bytes of Japanese or Korean. */
const LATIN = /^(?:windows-125[02478]|iso-8859-(?:1|2|3|4|9|1\d))$/;

/** Control codes of ISO 8859 that no text holds: as letters, the bytes belong to another encoding. */
const C1 = patternOf([
  [0x80, 0x84],
  [0x86, 0x9f],
]);

/** The encoding that the bytes most likely are in; `null` when that is not sure enough to evaluate what comes out. */
export async function detectCharset(bytes: Uint8Array): Promise<Detected | null> {
  const { analyse } = await import('chardet');
  const guessFrom = (sample: Uint8Array): Detected | null =>
    likely(
      bytes,
      analyse(sample).filter((match) => match.name !== 'UTF-8' && match.name !== 'ASCII'),
    );
  return guessFrom(foreignLines(bytes)) ?? guessFrom(bytes.subarray(0, SAMPLE_BYTES));
}

function likely(bytes: Uint8Array, [best, next]: readonly { readonly name: string; readonly confidence: number }[]): Detected | null {
  if (best === undefined || best.confidence < LEAST_CONFIDENCE) return null;
  if (next !== undefined && best.confidence - next.confidence < LEAST_LEAD && !areRelated(best.name, next.name)) return null;
  const encoding = encodingOf(best.name);
  if (encoding === null || (LATIN.test(encoding) && !looksLatin(bytes))) return null;
  const text = decodeAs(bytes, encoding);
  if (text === null || text.search(C1) >= 0 || !isPlausible(text, encoding)) return null;
  return { text, encoding, confidence: best.confidence };
}

/** The lines that hold more than ASCII: an English text with one Japanese line is Japanese. */
function foreignLines(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let at = 0; at < bytes.length && size < SAMPLE_BYTES; ) {
    const feed = bytes.indexOf(0x0a, at);
    const end = Math.min(feed < 0 ? bytes.length : feed + 1, at + SAMPLE_BYTES);
    const line = bytes.subarray(at, end);
    if (line.some((byte) => byte >= 0x80)) {
      parts.push(line);
      size += line.length;
    }
    at = end;
  }
  return Buffer.concat(parts);
}

/** Of the same family, and equal on most texts. */
function areRelated(a: string, b: string): boolean {
  const family = (name: string): string => name.replace(/^windows-1252$/, 'ISO-8859-1').replace(/^windows-1250$/, 'ISO-8859-2');
  return family(a) === family(b);
}

/** Of the bytes of a text in Latin letters, fewer than this share are letters with marks, or signs. */
const LATIN_SHARE = 0.3;
/** And of those, fewer than this share touch another one: letters of other scripts stand in words, and take two bytes in the East. */
const LATIN_TOUCHING_SHARE = 0.5;
const UNASSIGNED_IN_1252: ReadonlySet<number> = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);

/** Whether it may be Latin text of one byte a letter: few bytes above ASCII, most of them alone. */
function looksLatin(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const isAbove = (index: number): boolean => (sample[index] ?? 0) >= 0x80;
  let above = 0;
  let touching = 0;
  for (let index = 0; index < sample.length; index += 1) {
    if (!isAbove(index)) continue;
    above += 1;
    if (isAbove(index - 1) || isAbove(index + 1)) touching += 1;
  }
  return above < sample.length * LATIN_SHARE && (above === 0 || touching < above * LATIN_TOUCHING_SHARE);
}

/** Whether it may be windows-1252: Latin text, and none of the five bytes that it does not assign. */
export function looksWindows1252(bytes: Uint8Array): boolean {
  return looksLatin(bytes) && !bytes.subarray(0, SAMPLE_BYTES).some((byte) => UNASSIGNED_IN_1252.has(byte));
}
