import { areaOf, type Box, concatenated, IDENTITY, intersection, type Matrix, transformed } from './geometry.ts';
import type { Colour, NativePage } from './native-page.ts';
import type { TextVeils } from './text-veils.ts';

// FPDFPageObj_GetType
const TEXT = 1;
const PATH = 2;
const IMAGE = 3;
const SHADING = 4;
const FORM = 5;

/** Forms within forms; PDFium itself stops not much deeper. */
const MAX_DEPTH = 12;
/** Rules and dots hide no text, in points. */
const SMALLEST_SIDE = 3;
/** What lets so much of what is behind it shine through hides nothing. */
const LEAST_OPAQUE = 128;

/** An area painted on the page. `order`: what has a higher one lies above. `colour` is `null` for images, shadings and patterns. */
export type Area = { readonly order: number; readonly box: Box; readonly colour: Colour | null };

export type PageGraphics = {
  readonly areas: readonly Area[];
  /** Share of the visible page that images take, 0 to 1. */
  readonly imageShare: number;
  readonly hasGraphics: boolean;
};

type Visit = (object: { readonly handle: number; readonly type: number; readonly order: number; readonly matrix: Matrix }) => void;

/** The painted areas of a page that are large enough to lie behind or above text. `veils` looks at the text objects by the way. */
export function graphicsOf(native: NativePage, visible: Box | null, veils: TextVeils): PageGraphics {
  const areas: Area[] = [];
  let imageArea = 0;
  let hasGraphics = false;
  const visit: Visit = ({ handle, type, order, matrix }) => {
    if (type !== PATH && type !== IMAGE && type !== SHADING) return;
    hasGraphics = true;
    const area = areaPaintedBy(native, { handle, type, order, matrix });
    if (area === null) return;
    areas.push(area);
    const shown = type === IMAGE && visible !== null ? intersection(area.box, visible) : null;
    if (shown !== null) imageArea += areaOf(shown);
  };
  walkObjects(native, visit, veils);
  const pageArea = visible === null ? 0 : areaOf(visible);
  return { areas, imageShare: pageArea === 0 ? 0 : Math.min(1, imageArea / pageArea), hasGraphics };
}

/** The order in which the objects of a page are painted, by handle. */
export function paintingOrder(native: NativePage): ReadonlyMap<number, number> {
  const orders = new Map<number, number>();
  walkObjects(native, ({ handle, order }) => orders.set(handle, order));
  return orders;
}

function areaPaintedBy(native: NativePage, object: { handle: number; type: number; order: number; matrix: Matrix }): Area | null {
  if (object.type === PATH && !native.isFilled(object.handle)) return null;
  const own = native.objectBox(object.handle);
  if (own === null) return null;
  const box = object.matrix === IDENTITY ? own : transformed(own, object.matrix);
  if (box.right - box.left < SMALLEST_SIDE || box.top - box.bottom < SMALLEST_SIDE) return null;
  const colour = object.type === PATH ? native.fillColour(object.handle) : null;
  return colour !== null && colour.alpha < LEAST_OPAQUE ? null : { order: object.order, box, colour };
}

type Place = { readonly matrix: Matrix; readonly depth: number; readonly isVeiled: boolean };

function walkObjects(native: NativePage, visit: Visit, veils: TextVeils | null = null): void {
  const { pdfium, page } = native;
  let order = 0;
  const walk = (count: number, objectAt: (index: number) => number, place: Place): void => {
    for (let index = 0; index < count; index += 1) {
      const handle = objectAt(index);
      const type = pdfium.FPDFPageObj_GetType(handle);
      order += 1;
      visit({ handle, type, order, matrix: place.matrix });
      if (type === TEXT) veils?.look(handle, place.isVeiled);
      if (type !== FORM || place.depth >= MAX_DEPTH) continue;
      const inside = {
        matrix: concatenated(native.objectMatrix(handle) ?? IDENTITY, place.matrix),
        depth: place.depth + 1,
        isVeiled: place.isVeiled || veils?.veilsContent(handle) === true,
      };
      walk(pdfium.FPDFFormObj_CountObjects(handle), (child) => pdfium.FPDFFormObj_GetObject(handle, child), inside);
    }
  };
  const onPage = { matrix: IDENTITY, depth: 0, isVeiled: false };
  walk(pdfium.FPDFPage_CountObjects(page), (index) => pdfium.FPDFPage_GetObject(page, index), onPage);
}
