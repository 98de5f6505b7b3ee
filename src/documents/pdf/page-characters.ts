import type { NativePage } from './native-page.ts';

/** The characters of a page's text, in the order of its content stream: code point, text object (0: put in by PDFium), and whether the file maps the glyph to no character. */
export type PageCharacters = {
  readonly count: number;
  readonly codes: Uint32Array;
  readonly objects: Uint32Array;
  readonly isUnmapped: Uint8Array;
};

/** Reads what is needed of every character. One narrow loop for each question lets the engine call WebAssembly directly. */
export function readCharacters({ pdfium, text }: NativePage): PageCharacters {
  const count = Math.max(0, pdfium.FPDFText_CountChars(text));
  const [codes, objects, isUnmapped] = [new Uint32Array(count), new Uint32Array(count), new Uint8Array(count)];
  const { FPDFText_GetUnicode: codeAt, FPDFText_GetTextObject: objectAt, FPDFText_HasUnicodeMapError: unmappedAt } = pdfium;
  for (let index = 0; index < count; index += 1) codes[index] = codeAt(text, index);
  for (let index = 0; index < count; index += 1) objects[index] = objectAt(text, index);
  for (let index = 0; index < count; index += 1) isUnmapped[index] = unmappedAt(text, index) === 1 ? 1 : 0;
  return { count, codes, objects, isUnmapped };
}
