import { type Box, intersection } from './geometry.ts';
import type { NativePage } from './native-page.ts';

/** Text may hang over what it is clipped to by this share of its height, and by a point: its box is larger than its ink. */
const OVERHANG = 0.3;
const EDGE_TOLERANCE = 1;
/** Name of a mark that puts content on a layer. */
const LAYER_MARK = 'OC';
const REPLACEMENT_KEY = 'ActualText';
// FPDFPathSegment_GetType
const BEZIER = 1;
const MOST_SEGMENTS_OF_RECTANGLE = 6;

type Mark = { readonly isLayer: boolean; readonly replaces: boolean };

/** A mark by which a text object gives other words to copy than it prints. */
export type Replacement = { readonly object: number; readonly mark: number };

/** What may keep text objects from being seen or read as printed, though their own look does not say so. */
export class TextVeils {
  readonly #native: NativePage;
  readonly #marks = new Map<number, Mark>();
  /** Boxes of clipping paths by their first segment; `null` for what is no rectangle. */
  readonly #clips = new Map<number, Box | null>();
  readonly #veiled = new Set<number>();
  readonly replacements: Replacement[] = [];

  readonly #mayHideForms: boolean;

  constructor(native: NativePage, mayHideForms: boolean) {
    this.#native = native;
    this.#mayHideForms = mayHideForms;
  }

  /** Whether the object may not show: it is clipped, or on a layer, or in a form that may be so. */
  has(object: number): boolean {
    return this.#veiled.has(object);
  }

  look(object: number, isInVeiledForm: boolean): void {
    const isOnLayer = this.#readMarks(object);
    if (isInVeiledForm || isOnLayer || this.#isClipped(object)) this.#veiled.add(object);
  }

  /** Whether what stands in the form may not show. */
  veilsContent(form: number): boolean {
    return this.#mayHideForms || this.#readMarks(form) || this.#isClipped(form);
  }

  #readMarks(object: number): boolean {
    const { pdfium } = this.#native;
    const count = pdfium.FPDFPageObj_CountMarks(object);
    let isOnLayer = false;
    for (let index = 0; index < count; index += 1) {
      const mark = pdfium.FPDFPageObj_GetMark(object, index);
      const { isLayer, replaces } = this.#mark(mark);
      isOnLayer ||= isLayer;
      if (replaces) this.replacements.push({ object, mark });
    }
    return isOnLayer;
  }

  #mark(mark: number): Mark {
    const known = this.#marks.get(mark);
    if (known !== undefined) return known;
    const native = this.#native;
    const read = {
      isLayer: native.markName(mark) === LAYER_MARK,
      replaces: /[\p{L}\p{N}]/u.test(native.markString(mark, REPLACEMENT_KEY)),
    };
    this.#marks.set(mark, read);
    return read;
  }

  #isClipped(object: number): boolean {
    const { pdfium } = this.#native;
    const clip = pdfium.FPDFPageObj_GetClipPath(object);
    const paths = pdfium.FPDFClipPath_CountPaths(clip);
    // None but text, which clips too.
    if (paths === 0) return true;
    if (paths < 0) return false;
    const text = this.#native.objectBox(object);
    if (text === null) return false;
    const over = EDGE_TOLERANCE + (text.top - text.bottom) * OVERHANG;
    for (let index = 0; index < paths; index += 1) {
      const box = this.#clipBox(clip, index);
      if (box === null || !isWithin(text, box, over)) return true;
    }
    return false;
  }

  #clipBox(clip: number, path: number): Box | null {
    const { pdfium } = this.#native;
    const first = pdfium.FPDFClipPath_GetPathSegment(clip, path, 0);
    const known = this.#clips.get(first);
    if (known !== undefined) return known;
    const box = first === 0 ? null : this.#rectangle(clip, path);
    this.#clips.set(first, box);
    return box;
  }

  /** `null` unless the path goes round all four corners of a box. */
  #rectangle(clip: number, path: number): Box | null {
    const { pdfium } = this.#native;
    const count = pdfium.FPDFClipPath_CountPathSegments(clip, path);
    if (count > MOST_SEGMENTS_OF_RECTANGLE) return null;
    const segments = Array.from({ length: count }, (_, index) => pdfium.FPDFClipPath_GetPathSegment(clip, path, index));
    if (segments.some((segment) => pdfium.FPDFPathSegment_GetType(segment) === BEZIER)) return null;
    const points = segments.map((segment) => this.#native.segmentPoint(segment));
    const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
    const box = { left: Math.min(...xs), right: Math.max(...xs), bottom: Math.min(...ys), top: Math.max(...ys) };
    const corners = new Set(points.map(({ x, y }) => `${x} ${y}`));
    const all = [box.left, box.right].flatMap((x) => [box.bottom, box.top].map((y) => `${x} ${y}`));
    return corners.size === all.length && all.every((corner) => corners.has(corner)) ? box : null;
  }
}

function isWithin(text: Box, clip: Box, over: number): boolean {
  if (intersection(text, clip) === null) return false;
  return (
    text.left >= clip.left - over && text.right <= clip.right + over && text.bottom >= clip.bottom - over && text.top <= clip.top + over
  );
}
