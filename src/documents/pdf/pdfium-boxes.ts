import { type Pdfium, withNativeBuffer } from './pdfium-module.ts';

/** A rectangle on a page, in points; `top` is above `bottom`. */
export type Box = { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };

/** Text may hang over the page's edge by this much, in points, and still be meant for it. */
const EDGE_TOLERANCE = 1;
const DOUBLE_BYTES = 8;
const FLOAT_BYTES = 4;

/** The part of a page that is shown or printed (crop box within media box); `null` when the page names none. */
export function visibleBox(pdfium: Pdfium, page: number): Box | null {
  return withNativeBuffer(pdfium, 4 * FLOAT_BYTES, (pointer) => {
    if (!pdfium.FPDF_GetPageBoundingBox(page, pointer)) return null;
    const [left, top, right, bottom] = floats(pdfium, pointer);
    return { left, top, right, bottom };
  });
}

/** Whether any run of text on the page leaves the box. */
export function textReachesOutside(pdfium: Pdfium, text: number, box: Box): boolean {
  const count = pdfium.FPDFText_CountRects(text, 0, -1);
  return withNativeBuffer(pdfium, 4 * DOUBLE_BYTES, (pointer) => {
    for (let index = 0; index < count; index += 1) {
      if (!pdfium.FPDFText_GetRect(text, index, ...doublePointers(pointer))) continue;
      const [left, top, right, bottom] = doubles(pdfium, pointer);
      if (left < box.left - EDGE_TOLERANCE || right > box.right + EDGE_TOLERANCE) return true;
      if (bottom < box.bottom - EDGE_TOLERANCE || top > box.top + EDGE_TOLERANCE) return true;
    }
    return false;
  });
}

/** Box around a glyph's ink; `null` for characters without one. */
export function charBox(pdfium: Pdfium, text: number, index: number): Box | null {
  return withNativeBuffer(pdfium, 4 * DOUBLE_BYTES, (pointer) => {
    if (!pdfium.FPDFText_GetCharBox(text, index, ...doublePointers(pointer))) return null;
    const [left, right, bottom, top] = doubles(pdfium, pointer);
    return left === right && bottom === top ? null : { left, top, right, bottom };
  });
}

/** Height of the line box of a glyph, in points: the size of its font as printed. 0 when unknown. */
export function looseHeight(pdfium: Pdfium, text: number, index: number): number {
  return withNativeBuffer(pdfium, 4 * FLOAT_BYTES, (pointer) => {
    if (!pdfium.FPDFText_GetLooseCharBox(text, index, pointer)) return 0;
    const [, top, , bottom] = floats(pdfium, pointer);
    return Math.abs(top - bottom);
  });
}

type Four = [first: number, second: number, third: number, fourth: number];

function doublePointers(pointer: number): Four {
  return [pointer, pointer + DOUBLE_BYTES, pointer + 2 * DOUBLE_BYTES, pointer + 3 * DOUBLE_BYTES];
}

function doubles(pdfium: Pdfium, pointer: number): Four {
  const at = (index: number) => pdfium.pdfium.getValue(pointer + index * DOUBLE_BYTES, 'double');
  return [at(0), at(1), at(2), at(3)];
}

function floats(pdfium: Pdfium, pointer: number): Four {
  const at = (index: number) => pdfium.pdfium.getValue(pointer + index * FLOAT_BYTES, 'float');
  return [at(0), at(1), at(2), at(3)];
}
