import type { Box } from './geometry.ts';
import type { NativePage } from './native-page.ts';
import { type Drawing, drawPage } from './page-drawing.ts';

/** Characters that may not show, all of one text object; `end` is exclusive. */
export type Suspect = { readonly start: number; readonly end: number; readonly object: number };

/** Of 255: a glyph that changes no component of any pixel by so much is not seen. */
const LEAST_CONTRAST = 16;
/** Where at most this share of a run's glyphs do not show, all count as shown: a full stop may be too small to. */
const FEW = 0.1;
const WHITE_SPACE = /^\s$/;

/** Indices of the characters that change nothing on the page when they are taken away; `null` when it cannot be drawn. */
export function unseenCharacters(native: NativePage, suspects: readonly Suspect[], codes: Uint32Array): readonly number[] | null {
  return drawPage(native, (drawing) => {
    const before = drawing.draw();
    setActive(native, suspects, 0);
    const after = drawing.draw();
    setActive(native, suspects, 1);
    const shows = (box: Box) => differs(drawing, drawing.pixelsOf(box), { before, after });
    return suspects.flatMap((suspect) => unseenOf(native, suspect, { codes, shows }));
  });
}

/** Spaces of all kinds have no ink. */
function isSpace(code: number): boolean {
  return WHITE_SPACE.test(String.fromCodePoint(code));
}

function setActive({ pdfium }: NativePage, suspects: readonly Suspect[], isActive: 0 | 1): void {
  for (const object of new Set(suspects.map((suspect) => suspect.object))) pdfium.FPDFPageObj_SetIsActive(object, isActive);
}

function unseenOf(
  native: NativePage,
  suspect: Suspect,
  { codes, shows }: { codes: Uint32Array; shows: (box: Box) => boolean },
): readonly number[] {
  const unseen: number[] = [];
  let glyphs = 0;
  for (let index = suspect.start; index < suspect.end; index += 1) {
    const box = isSpace(codes[index] ?? 0) ? null : native.charBox(index);
    if (box === null) continue;
    glyphs += 1;
    if (!shows(box)) unseen.push(index);
  }
  return unseen.length <= glyphs * FEW ? [] : unseen;
}

function differs(drawing: Drawing, pixels: Box, { before, after }: { before: Uint8Array; after: Uint8Array }): boolean {
  for (let y = pixels.top; y < pixels.bottom; y += 1) {
    const end = y * drawing.stride + pixels.right * drawing.pixelBytes;
    for (let at = y * drawing.stride + pixels.left * drawing.pixelBytes; at < end; at += 1) {
      if (Math.abs((before[at] ?? 0) - (after[at] ?? 0)) >= LEAST_CONTRAST) return true;
    }
  }
  return false;
}
