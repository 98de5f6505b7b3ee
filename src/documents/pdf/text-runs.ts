import type { Matrix } from './geometry.ts';
import type { Colour, NativePage } from './native-page.ts';
import type { PageCharacters } from './page-characters.ts';

/** What the characters of one text object have in common. */
export type TextStyle = {
  readonly object: number;
  /** Font size in points, as printed. */
  readonly size: number;
  /** Width of the letters, as a share of what the font gives them at that size. */
  readonly stretch: number;
  /** What the glyphs are filled and stroked with; `null` among them for a pattern. None when they are not painted. */
  readonly colours: readonly (Colour | null)[];
  /** Whether the object stands in a form, so that its box is not that on the page. */
  readonly isNested: boolean;
};

/** Characters of the text page next to each other that belong to one object; `end` is exclusive. `style` is `null` for what PDFium put in. */
export type TextRun = { readonly start: number; readonly end: number; readonly style: TextStyle | null };

const NO_OBJECT = 0;
// Text render modes; the others paint nothing.
const FILLED_MODES: readonly number[] = [0, 2, 4, 6];
const STROKED_MODES: readonly number[] = [1, 2, 5, 6];

/** The runs of a page, in the order of its characters. */
export function textRuns(native: NativePage, { count, objects }: PageCharacters): readonly TextRun[] {
  const styles = new Map<number, TextStyle>();
  const runs: TextRun[] = [];
  let start = 0;
  for (let index = 1; index <= count; index += 1) {
    const object = objects[start] ?? NO_OBJECT;
    if (index < count && objects[index] === object) continue;
    runs.push({ start, end: index, style: object === NO_OBJECT ? null : styleOf(native, { object, at: start }, styles) });
    start = index;
  }
  return runs;
}

function styleOf(native: NativePage, where: { object: number; at: number }, known: Map<number, TextStyle>): TextStyle {
  const { object, at } = where;
  const found = known.get(object);
  if (found !== undefined) return found;
  const { pdfium, text } = native;
  const onPage = native.charMatrix(at);
  const renderMode = pdfium.FPDFTextObj_GetTextRenderMode(object);
  const height = onPage === null ? 1 : Math.hypot(onPage.c, onPage.d);
  const style: TextStyle = {
    object,
    size: pdfium.FPDFText_GetFontSize(text, at) * height,
    stretch: onPage === null || height === 0 ? 1 : Math.hypot(onPage.a, onPage.b) / height,
    colours: [
      ...(FILLED_MODES.includes(renderMode) ? [native.fillColour(object)] : []),
      ...(STROKED_MODES.includes(renderMode) ? [native.strokeColour(object)] : []),
    ],
    isNested: !isSame(onPage, native.objectMatrix(object)),
  };
  known.set(object, style);
  return style;
}

function isSame(one: Matrix | null, other: Matrix | null): boolean {
  if (one === null || other === null) return false;
  return one.a === other.a && one.b === other.b && one.c === other.c && one.d === other.d && one.e === other.e && one.f === other.f;
}
