import type { Box, Matrix } from './geometry.ts';
import { type Pdfium, withNativeBuffer, withNativeString } from './pdfium-module.ts';

/** A colour with its opacity, each 0 to 255. */
export type Colour = { readonly red: number; readonly green: number; readonly blue: number; readonly alpha: number };

const DOUBLE_BYTES = 8;
const WORD_BYTES = 4;
const SCRATCH_BYTES = 64;

type Four = [first: number, second: number, third: number, fourth: number];

/** What PDFium answers through pointers about one loaded page, as values. Holds a little native memory while `use` runs. */
export class NativePage {
  readonly pdfium: Pdfium;
  readonly page: number;
  readonly text: number;
  readonly #pointer: number;
  #view: DataView;

  static use<Result>(pdfium: Pdfium, handles: { page: number; text: number }, use: (native: NativePage) => Result): Result {
    return withNativeBuffer(pdfium, SCRATCH_BYTES, (pointer) => use(new NativePage(pdfium, handles, pointer)));
  }

  private constructor(pdfium: Pdfium, handles: { page: number; text: number }, pointer: number) {
    this.pdfium = pdfium;
    this.page = handles.page;
    this.text = handles.text;
    this.#pointer = pointer;
    this.#view = new DataView(pdfium.memory().buffer);
  }

  /** The part of the page that is shown or printed (crop box within media box); `null` when the page names none. */
  visibleBox(): Box | null {
    if (this.pdfium.FPDF_GetPageBoundingBox(this.page, this.#pointer) === 0) return null;
    const [left, top, right, bottom] = this.#floats();
    return { left, top, right, bottom };
  }

  /** Box around a glyph's ink; `null` for characters without one. */
  charBox(index: number): Box | null {
    if (this.pdfium.FPDFText_GetCharBox(this.text, index, ...this.#pointers(DOUBLE_BYTES)) === 0) return null;
    const [left, right, bottom, top] = this.#doubles();
    return left === right && bottom === top ? null : { left, top, right, bottom };
  }

  /** Where a glyph's character space lies on the page. */
  charMatrix(index: number): Matrix | null {
    return this.pdfium.FPDFText_GetMatrix(this.text, index, this.#pointer) === 0 ? null : this.#matrix();
  }

  /** Where an object lies within the page, or within the form that holds it. */
  objectMatrix(object: number): Matrix | null {
    return this.pdfium.FPDFPageObj_GetMatrix(object, this.#pointer) === 0 ? null : this.#matrix();
  }

  /** Box around an object, in the space of the page or of the form that holds it. */
  objectBox(object: number): Box | null {
    if (this.pdfium.FPDFPageObj_GetBounds(object, ...this.#pointers(WORD_BYTES)) === 0) return null;
    const [left, bottom, right, top] = this.#floats();
    return { left, top, right, bottom };
  }

  /** Fill colour of an object; `null` for patterns. */
  fillColour(object: number): Colour | null {
    if (this.pdfium.FPDFPageObj_GetFillColor(object, ...this.#pointers(WORD_BYTES)) === 0) return null;
    const [red, green, blue, alpha] = this.#integers();
    return { red, green, blue, alpha };
  }

  /** Stroke colour of an object; `null` for patterns. */
  strokeColour(object: number): Colour | null {
    if (this.pdfium.FPDFPageObj_GetStrokeColor(object, ...this.#pointers(WORD_BYTES)) === 0) return null;
    const [red, green, blue, alpha] = this.#integers();
    return { red, green, blue, alpha };
  }

  /** The end of a segment of a path. */
  segmentPoint(segment: number): { x: number; y: number } {
    const [first, second] = this.#pointers(WORD_BYTES);
    this.pdfium.FPDFPathSegment_GetPoint(segment, first, second);
    const [x, y] = this.#floats();
    return { x, y };
  }

  /** Name of a mark in the content stream. */
  markName(mark: number): string {
    return this.#utf16((buffer, size, length) => this.pdfium.FPDFPageObjMark_GetName(mark, buffer, size, length));
  }

  /** A string among the properties of a mark; empty when it has none of that name. */
  markString(mark: number, key: string): string {
    return withNativeString(this.pdfium, key, (name) =>
      this.#utf16((buffer, size, length) => this.pdfium.FPDFPageObjMark_GetParamStringValue(mark, name, buffer, size, length)),
    );
  }

  /** What is asked for its length first; the length comes through the third pointer. */
  #utf16(ask: (buffer: number, size: number, length: number) => number): string {
    if (ask(0, 0, this.#pointer) === 0) return '';
    const size = this.#integers()[0];
    if (size <= 0) return '';
    return withNativeBuffer(this.pdfium, size, (buffer) => {
      ask(buffer, size, this.#pointer);
      return Buffer.from(this.pdfium.memory().slice(buffer, buffer + size))
        .toString('utf16le')
        .replace(/\0.*$/s, '');
    });
  }

  /** Whether a path is filled. */
  isFilled(path: number): boolean {
    const [fill, stroke] = this.#pointers(WORD_BYTES);
    return this.pdfium.FPDFPath_GetDrawMode(path, fill, stroke) !== 0 && this.#integers()[0] !== 0;
  }

  /** Where a point of the page is drawn in a picture of it, in pixels. */
  devicePoint(point: { x: number; y: number }, picture: { width: number; height: number }): { x: number; y: number } {
    const [first, second] = this.#pointers(WORD_BYTES);
    this.pdfium.FPDF_PageToDevice(this.page, 0, 0, picture.width, picture.height, 0, point.x, point.y, first, second);
    const [x, y] = this.#integers();
    return { x, y };
  }

  #pointers(size: number): Four {
    return [this.#pointer, this.#pointer + size, this.#pointer + 2 * size, this.#pointer + 3 * size];
  }

  #matrix(): Matrix {
    const [a, b, c, d] = this.#floats();
    const view = this.#current();
    return {
      a,
      b,
      c,
      d,
      e: view.getFloat32(this.#pointer + 4 * WORD_BYTES, true),
      f: view.getFloat32(this.#pointer + 5 * WORD_BYTES, true),
    };
  }

  #doubles(): Four {
    const view = this.#current();
    const at = (index: number) => view.getFloat64(this.#pointer + index * DOUBLE_BYTES, true);
    return [at(0), at(1), at(2), at(3)];
  }

  #floats(): Four {
    const view = this.#current();
    const at = (index: number) => view.getFloat32(this.#pointer + index * WORD_BYTES, true);
    return [at(0), at(1), at(2), at(3)];
  }

  #integers(): Four {
    const view = this.#current();
    const at = (index: number) => view.getInt32(this.#pointer + index * WORD_BYTES, true);
    return [at(0), at(1), at(2), at(3)];
  }

  /** Memory that has grown leaves its old views without bytes. */
  #current(): DataView {
    if (this.#view.buffer.byteLength === 0) this.#view = new DataView(this.pdfium.memory().buffer);
    return this.#view;
  }
}
