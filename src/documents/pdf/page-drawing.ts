import type { Box } from './geometry.ts';
import type { NativePage } from './native-page.ts';

/** Pixels per point: a thin stroke of small print then darkens a pixel by half. */
const SCALE = 2;
/** Below this scale small print is lost in the drawing. */
const LEAST_SCALE = 0.75;
const MOST_PIXELS = 8_000_000;
const PIXEL_BYTES = 4;
const WHITE = 0xffffffff;

/** A page that can be drawn again and again. Rows are `stride` bytes long, pixels `pixelBytes`. */
export type Drawing = {
  readonly stride: number;
  readonly pixelBytes: number;
  readonly draw: () => Uint8Array;
  /** The pixels that a box on the page covers; `top` is above and smaller, `right` and `bottom` are exclusive. */
  readonly pixelsOf: (box: Box) => Box;
};

/** Lends a page to `use`, to be drawn on white; `null` for a page without a size, or one too large to see small print on. */
export function drawPage<Result>(native: NativePage, use: (drawing: Drawing) => Result): Result | null {
  const { pdfium, page } = native;
  const picture = pictureSize(native);
  if (picture === null) return null;
  const bitmap = pdfium.FPDFBitmap_Create(picture.width, picture.height, 0);
  if (bitmap === 0) return null;
  try {
    const stride = pdfium.FPDFBitmap_GetStride(bitmap);
    return use({
      stride,
      pixelBytes: PIXEL_BYTES,
      draw: () => {
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, picture.width, picture.height, WHITE);
        pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, picture.width, picture.height, 0, 0);
        const pixels = pdfium.FPDFBitmap_GetBuffer(bitmap);
        return pdfium.memory().slice(pixels, pixels + stride * picture.height);
      },
      pixelsOf: (box) => pixelBox(native, box, picture),
    });
  } finally {
    pdfium.FPDFBitmap_Destroy(bitmap);
  }
}

function pictureSize({ pdfium, page }: NativePage): { width: number; height: number } | null {
  const [width, height] = [pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)];
  const scale = Math.min(SCALE, Math.sqrt(MOST_PIXELS / (width * height)));
  if (!(width >= 1 && height >= 1) || scale < LEAST_SCALE) return null;
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

function pixelBox(native: NativePage, box: Box, picture: { width: number; height: number }): Box {
  const one = native.devicePoint({ x: box.left, y: box.bottom }, picture);
  const other = native.devicePoint({ x: box.right, y: box.top }, picture);
  const within = (value: number, most: number): number => Math.min(Math.max(value, 0), most);
  return {
    left: within(Math.min(one.x, other.x), picture.width),
    right: within(Math.max(one.x, other.x) + 1, picture.width),
    top: within(Math.min(one.y, other.y), picture.height),
    bottom: within(Math.max(one.y, other.y) + 1, picture.height),
  };
}
