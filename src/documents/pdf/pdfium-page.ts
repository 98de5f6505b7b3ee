import type { PdfLine, PdfPage } from './pdf-text.ts';
import { type Box, charBox, looseHeight, textReachesOutside, visibleBox } from './pdfium-boxes.ts';
import type { Pdfium } from './pdfium-module.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const SOFT_HYPHEN_MARK = 0x02;
/** PDFium's mark for a hyphen at a line end; it drops the line break behind it. */
const HYPHEN_MARK = 0xfffe;
const LONG_S = 0x017f;
const UNMAPPED = '\ufffd';

/** Text of one loaded page, in the order of its content stream. */
export function readPageText(pdfium: Pdfium, page: number, text: number): Omit<PdfPage, 'label'> {
  const reader = new PageReader(pdfium, text, visibleBox(pdfium, page));
  const count = pdfium.FPDFText_CountChars(text);
  for (let index = 0; index < count; index += 1) reader.character(index);
  return reader.finish();
}

class PageReader {
  readonly #pdfium: Pdfium;
  readonly #text: number;
  /** Set only when something lies outside it: asking for every glyph's place costs more than reading it. */
  readonly #limits: Box | null;
  readonly #lines: PdfLine[] = [];
  #line = '';
  #height = 0;
  #glyphs = 0;
  #unmapped = 0;
  #outside = 0;

  constructor(pdfium: Pdfium, text: number, visible: Box | null) {
    this.#pdfium = pdfium;
    this.#text = text;
    this.#limits = visible !== null && textReachesOutside(pdfium, text, visible) ? visible : null;
  }

  character(index: number): void {
    const code = this.#pdfium.FPDFText_GetUnicode(this.#text, index);
    if (this.#breaksLine(code, index)) {
      // "\r\n" is two characters of the text page; one of them ends the line.
      if (code === LINE_FEED) this.#endLine();
    } else if (this.#isOutside(code, index)) {
      this.#outside += 1;
    } else if (code === HYPHEN_MARK || (code === SOFT_HYPHEN_MARK && this.#pdfium.FPDFText_IsHyphen(this.#text, index) === 1)) {
      this.#append('-', index);
      this.#endLine();
    } else {
      this.#append(this.#spelled(code, index), index);
    }
  }

  finish(): Omit<PdfPage, 'label'> {
    if (this.#line !== '') this.#endLine();
    return { lines: this.#lines, glyphs: this.#glyphs, unmapped: this.#unmapped, outside: this.#outside };
  }

  /** Glyph codes of fonts without a map can be 0x0A or 0x0D; only what PDFium itself put in breaks a line. */
  #breaksLine(code: number, index: number): boolean {
    return (code === LINE_FEED || code === CARRIAGE_RETURN) && this.#pdfium.FPDFText_IsGenerated(this.#text, index) === 1;
  }

  #isOutside(code: number, index: number): boolean {
    if (this.#limits === null || code === SPACE) return false;
    const box = charBox(this.#pdfium, this.#text, index);
    if (box === null) return false;
    const x = (box.left + box.right) / 2;
    const y = (box.bottom + box.top) / 2;
    return x < this.#limits.left || x > this.#limits.right || y < this.#limits.bottom || y > this.#limits.top;
  }

  #spelled(code: number, index: number): string {
    const isControl = (code < SPACE && code !== TAB) || (code >= 0x7f && code <= 0x9f);
    if (isControl || this.#pdfium.FPDFText_HasUnicodeMapError(this.#text, index) === 1) return UNMAPPED;
    if (code === LONG_S && this.#isHalfOfLigature(index)) return 's';
    return code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code);
  }

  /** PDFium spells U+FB05 as long s and t, both at the place of the one glyph; elsewhere a long s is meant. */
  #isHalfOfLigature(index: number): boolean {
    const box = charBox(this.#pdfium, this.#text, index);
    const next = charBox(this.#pdfium, this.#text, index + 1);
    return box !== null && next !== null && box.left === next.left && box.right === next.right;
  }

  #append(spelled: string, index: number): void {
    if (spelled !== ' ' && spelled !== '\t') {
      this.#glyphs += 1;
      if (spelled === UNMAPPED) this.#unmapped += 1;
      if (this.#height === 0) this.#height = looseHeight(this.#pdfium, this.#text, index);
    }
    this.#line += spelled;
  }

  #endLine(): void {
    this.#lines.push({ text: this.#line, height: this.#height });
    this.#line = '';
    this.#height = 0;
  }
}
