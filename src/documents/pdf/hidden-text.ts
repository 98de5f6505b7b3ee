import { type Box, intersection, union } from './geometry.ts';
import { HiddenMarks } from './hidden-marks.ts';
import type { Colour, NativePage } from './native-page.ts';
import type { PageCharacters } from './page-characters.ts';
import { type Area, graphicsOf, type PageGraphics, paintingOrder } from './page-graphics.ts';
import type { HiddenKind } from './pdf-text.ts';
import type { TextRun, TextStyle } from './text-runs.ts';
import { type Replacement, TextVeils } from './text-veils.ts';
import { type Suspect, unseenCharacters } from './unseen-text.ts';

const SPACE = 0x20;
/** Text may hang over the page's edge by this much, in points, and still be meant for it. */
const EDGE_TOLERANCE = 1;
/** Boxes are 32-bit numbers. */
const FONT_HEIGHT_ERROR = 0.001;
/** Of 255. */
const TRANSPARENT_BELOW = 13;
/** In points. */
const TINY_BELOW = 2;
/** Text whose every component is at least this light may not show on paper. */
const LIGHT = 200;
/** Components that differ by less look alike. */
const ALIKE = 32;
/** With more areas it is quicker to draw the page than to compare them with its text. */
const MOST_AREAS = 2000;
/** A page is a scan with recognised text when images take this share of it and so much of its text is hidden by them. */
const SCAN_SHARE = 0.6;
const OCR_SHARE = 0.8;

/** `mayHideForms`: a form of the file may stand on a layer that is off. */
export type ReadingOptions = { readonly mayDraw: boolean; readonly mayHideForms: boolean };

export type HiddenText = {
  readonly marks: HiddenMarks;
  readonly graphics: PageGraphics;
  readonly isOcrLayer: boolean;
  readonly isUndrawn: boolean;
  /** What gives other words to copy than it prints. */
  readonly replacements: readonly Replacement[];
};

/** Which characters of a page a person does not see. Draws the page only where text may not show, and never unless `mayDraw`. */
export function findHiddenText(
  native: NativePage,
  { characters, runs }: { characters: PageCharacters; runs: readonly TextRun[] },
  { mayDraw, mayHideForms }: ReadingOptions,
): HiddenText {
  const visible = native.visibleBox();
  const marks = new HiddenMarks(characters.count);
  const veils = new TextVeils(native, mayHideForms);
  const graphics = graphicsOf(native, visible, veils);
  for (const run of runs) {
    if (run.style === null) continue;
    if (visible !== null) markOutside(native, marks, { run, style: run.style, visible, codes: characters.codes });
    const kind = kindByStyle(native, run, run.style);
    if (kind !== null) marks.markAll(run, kind);
  }
  const suspects = suspectsOf(native, { characters, runs, areas: graphics.areas, veils }).filter((suspect) => marks.hasShown(suspect));
  const unseen = suspects.length === 0 ? [] : mayDraw ? unseenCharacters(native, suspects, characters.codes) : null;
  for (const index of unseen ?? []) marks.mark(index, 'unseen');
  const isOcrLayer =
    graphics.imageShare >= SCAN_SHARE && !marks.isEmpty && marks.shareOf(['invisible', 'unseen'], characters.codes) >= OCR_SHARE;
  if (isOcrLayer) marks.clear(['invisible', 'unseen']);
  return { marks, graphics, isOcrLayer, isUndrawn: unseen === null, replacements: veils.replacements };
}

function markOutside(
  native: NativePage,
  marks: HiddenMarks,
  { run, style, visible, codes }: { run: TextRun; style: TextStyle; visible: Box; codes: Uint32Array },
): void {
  const box = style.isNested ? null : native.objectBox(style.object);
  // One question per object, because asking for every glyph's place costs more than reading it.
  if (box !== null && isWithin(box, visible)) return;
  for (let index = run.start; index < run.end; index += 1) {
    const glyph = codes[index] === SPACE ? null : native.charBox(index);
    if (glyph !== null && isCentreOutside(glyph, visible)) marks.mark(index, 'outside');
  }
}

function isWithin(box: Box, visible: Box): boolean {
  if (box.left < visible.left - EDGE_TOLERANCE || box.right > visible.right + EDGE_TOLERANCE) return false;
  return box.bottom >= visible.bottom - EDGE_TOLERANCE && box.top <= visible.top + EDGE_TOLERANCE;
}

function isCentreOutside(box: Box, visible: Box): boolean {
  const x = (box.left + box.right) / 2;
  const y = (box.bottom + box.top) / 2;
  return x < visible.left || x > visible.right || y < visible.bottom || y > visible.top;
}

function kindByStyle(native: NativePage, run: TextRun, style: TextStyle): HiddenKind | null {
  if (style.colours.length === 0) return 'invisible';
  if (style.colours.every((colour) => colour !== null && colour.alpha < TRANSPARENT_BELOW)) return 'transparent';
  if (style.size < TINY_BELOW && largest(native, run, height) < TINY_BELOW) return 'tiny';
  return style.size * style.stretch < TINY_BELOW && largest(native, run, thinness) < TINY_BELOW ? 'tiny' : null;
}

/** The size of a font made of drawings says nothing: its glyphs do. */
function largest(native: NativePage, run: TextRun, measure: (box: Box) => number): number {
  let most = 0;
  for (let index = run.start; index < run.end; index += 1) {
    const box = native.charBox(index);
    if (box !== null) most = Math.max(most, measure(box));
  }
  return most;
}

function height(box: Box): number {
  return box.top - box.bottom;
}

/** The shorter side, because text may run upwards. */
function thinness(box: Box): number {
  return Math.min(box.top - box.bottom, box.right - box.left);
}

type Scene = {
  readonly characters: PageCharacters;
  readonly runs: readonly TextRun[];
  readonly areas: readonly Area[];
  readonly veils: TextVeils;
};

/** Runs that may not show: light, veiled or blank ones, those in the colour of an area behind them, those with an area above them. */
function suspectsOf(native: NativePage, { characters, runs, areas, veils }: Scene): readonly Suspect[] {
  const isCrowded = areas.length > MOST_AREAS;
  const orders = areas.length === 0 || isCrowded ? null : paintingOrder(native);
  return runs.flatMap(({ start, end, style }) => {
    if (style === null || style.colours.length === 0) return [];
    const suspect = { start, end, object: style.object };
    if (isCrowded || isLight(style)) return [suspect];
    const isBlank = beginsBlank(native, suspect, { codes: characters.codes, size: style.size });
    // A font that is not in the file may be missing here only: other readers show its glyphs.
    if (isBlank ? isEmbedded(native, style.object) : veils.has(style.object)) return [suspect];
    if (orders === null) return [];
    const order = orders.get(style.object) ?? 0;
    const able = areas.filter((area) => area.order > order || isAlike(area, style));
    const box = able.length === 0 ? null : boxOf(native, start, end);
    return box !== null && able.some((area) => intersection(area.box, box) !== null) ? [suspect] : [];
  });
}

/** Patterns may be light. */
function isLight({ colours }: TextStyle): boolean {
  return colours.every((colour) => colour === null || Math.min(colour.red, colour.green, colour.blue) >= LIGHT);
}

function isAlike({ colour: behind }: Area, { colours }: TextStyle): boolean {
  return behind !== null && colours.every((colour) => colour === null || areAlike(behind, colour));
}

/** PDFium gives glyphs without ink a box as high as the font. The first glyph speaks for its run. */
function beginsBlank(native: NativePage, { start, end }: Suspect, { codes, size }: { codes: Uint32Array; size: number }): boolean {
  let index = start;
  while (index < end && (codes[index] ?? 0) <= SPACE) index += 1;
  const box = index < end ? native.charBox(index) : null;
  if (box === null) return false;
  return [box.top - box.bottom, box.right - box.left].some((side) => Math.abs(side - size) < size * FONT_HEIGHT_ERROR);
}

function isEmbedded({ pdfium }: NativePage, object: number): boolean {
  return pdfium.FPDFFont_GetIsEmbedded(pdfium.FPDFTextObj_GetFont(object)) === 1;
}

function areAlike(behind: Colour, colour: Colour): boolean {
  const distances = [behind.red - colour.red, behind.green - colour.green, behind.blue - colour.blue];
  return distances.every((distance) => Math.abs(distance) < ALIKE);
}

function boxOf(native: NativePage, start: number, end: number): Box | null {
  let box: Box | null = null;
  for (let index = start; index < end; index += 1) {
    const glyph = native.charBox(index);
    if (glyph !== null) box = box === null ? glyph : union(box, glyph);
  }
  return box;
}
