import type { HiddenMarks } from './hidden-marks.ts';
import { findHiddenText, type ReadingOptions } from './hidden-text.ts';
import { NativePage } from './native-page.ts';
import { type PageCharacters, readCharacters } from './page-characters.ts';
import type { HiddenKind, PdfLine, PdfPage } from './pdf-text.ts';
import type { Pdfium } from './pdfium-module.ts';
import { SizeCount } from './size-count.ts';
import { type TextRun, textRuns } from './text-runs.ts';
import type { Replacement } from './text-veils.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const HYPHEN = 0x2d;
const SMALL_S = 0x73;
const DELETE = 0x7f;
const FIRST_AFTER_CONTROLS = 0xa0;
const SOFT_HYPHEN_MARK = 0x02;
/** PDFium's mark for a hyphen at a line end; it drops the line break behind it. */
const HYPHEN_MARK = 0xfffe;
const LONG_S = 0x017f;
const UNMAPPED = 0xfffd;
const LAST_OF_ONE_UNIT = 0xffff;

/** What the text of a page says, with what gives other words to copy than it prints. */
export type PageText = Omit<PdfPage, 'label' | 'lost' | 'annotations' | 'wording'> & { readonly replacements: readonly Replacement[] };

/** Text of one loaded page, in the order of its content stream. Without `mayDraw`, text in the colour of the page is not told apart. */
export function readPageText(pdfium: Pdfium, handles: { page: number; text: number }, options: ReadingOptions): PageText {
  return NativePage.use(pdfium, handles, (native) => {
    const characters = readCharacters(native);
    const runs = textRuns(native, characters);
    const { marks, graphics, isOcrLayer, isUndrawn, replacements } = findHiddenText(native, { characters, runs }, options);
    const reader = new PageReader(native, characters, marks);
    for (const run of runs) reader.read(run);
    const { imageShare, hasGraphics } = graphics;
    return { ...reader.finish(), imageShare, hasGraphics, isOcrLayer, isUndrawn, replacements };
  });
}

class PageReader {
  readonly #native: NativePage;
  readonly #characters: PageCharacters;
  readonly #marks: HiddenMarks;
  readonly #lines: PdfLine[] = [];
  readonly #leftOut: Record<HiddenKind, number> = { outside: 0, invisible: 0, transparent: 0, tiny: 0, unseen: 0 };
  readonly #sizes = new SizeCount();
  /** UTF-16 units of the line; a character takes two at most, a hyphen nothing of the next line. */
  readonly #units: Uint16Array;
  #length = 0;
  #lacksText = false;
  #glyphs = 0;
  #unmapped = 0;

  constructor(native: NativePage, characters: PageCharacters, marks: HiddenMarks) {
    this.#native = native;
    this.#characters = characters;
    this.#marks = marks;
    this.#units = new Uint16Array(characters.count * 2);
  }

  read({ start, end, style }: TextRun): void {
    // What PDFium puts in has no size of its own.
    if (style !== null) this.#sizes.goOnWith(style.size);
    for (let index = start; index < end; index += 1) {
      const code = this.#characters.codes[index] ?? 0;
      const isOrdinary = code > SPACE && code < DELETE && this.#characters.isUnmapped[index] === 0;
      if (isOrdinary && this.#marks.isEmpty) this.#appendGlyph(code);
      else this.#readUnusual(code, index);
    }
  }

  finish(): Pick<PdfPage, 'lines' | 'glyphs' | 'unmapped' | 'leftOut'> {
    if (this.#length > 0) this.#endLine();
    return { lines: this.#lines, glyphs: this.#glyphs, unmapped: this.#unmapped, leftOut: this.#leftOut };
  }

  #readUnusual(code: number, index: number): void {
    const kind = this.#marks.at(index);
    if (this.#breaksLine(code, index)) {
      // "\r\n" is two characters of the text page; one of them ends the line.
      if (code === LINE_FEED) this.#endLine();
    } else if (kind !== null) {
      if (code > SPACE) this.#leftOut[kind] += 1;
      this.#lacksText = true;
      if (this.#isHyphenMark(code, index)) this.#endLine();
    } else if (this.#isHyphenMark(code, index)) {
      this.#appendGlyph(HYPHEN);
      this.#endLine();
    } else if (code === SPACE || code === TAB) this.#append(code);
    else this.#appendGlyph(this.#spelled(code, index));
  }

  /** Glyph codes of fonts without a map can be 0x0A or 0x0D; only what PDFium itself put in breaks a line. */
  #breaksLine(code: number, index: number): boolean {
    const { pdfium, text } = this.#native;
    return (code === LINE_FEED || code === CARRIAGE_RETURN) && pdfium.FPDFText_IsGenerated(text, index) === 1;
  }

  #isHyphenMark(code: number, index: number): boolean {
    const { pdfium, text } = this.#native;
    return code === HYPHEN_MARK || (code === SOFT_HYPHEN_MARK && pdfium.FPDFText_IsHyphen(text, index) === 1);
  }

  #spelled(code: number, index: number): number {
    const isControl = code < SPACE || (code >= DELETE && code < FIRST_AFTER_CONTROLS);
    if (isControl || this.#characters.isUnmapped[index] === 1) return UNMAPPED;
    return code === LONG_S && this.#isHalfOfLigature(index) ? SMALL_S : code;
  }

  /** PDFium spells U+FB05 as long s and t, both at the place of the one glyph; elsewhere a long s is meant. */
  #isHalfOfLigature(index: number): boolean {
    const box = this.#native.charBox(index);
    const next = this.#native.charBox(index + 1);
    return box !== null && next !== null && box.left === next.left && box.right === next.right;
  }

  #appendGlyph(code: number): void {
    this.#glyphs += 1;
    if (code === UNMAPPED) this.#unmapped += 1;
    this.#sizes.add();
    this.#append(code);
  }

  #append(code: number): void {
    if (code > LAST_OF_ONE_UNIT) {
      this.#units[this.#length] = 0xd7c0 + (code >> 10);
      this.#length += 1;
    }
    this.#units[this.#length] = code > LAST_OF_ONE_UNIT ? 0xdc00 + (code & 0x3ff) : code;
    this.#length += 1;
  }

  /** A line of hidden text alone is none. */
  #endLine(): void {
    const text = Buffer.from(this.#units.buffer, 0, this.#length * 2).toString('utf16le');
    const size = this.#sizes.takeCommon();
    if (!this.#lacksText || text.trim() !== '') this.#lines.push({ text, size });
    this.#length = 0;
    this.#lacksText = false;
  }
}
