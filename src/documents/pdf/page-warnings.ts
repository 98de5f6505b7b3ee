import { count, pageList, percent, sum } from './figures.ts';
import { HIDDEN_KINDS, type HiddenKind, type PdfPage } from './pdf-text.ts';

/** From this share of glyphs without a character on, a page is reported. */
const WARNED_SHARE = 0.05;
/** A page that is an image to this share, with fewer glyphs than that, may hold text that is not read. */
const IMAGE_SHARE = 0.7;
const FEW_GLYPHS = 50;
/** What concerns more pages than this is told once for all of them. */
const MOST_PAGES = 5;

const LEFT_OUT: Readonly<Record<HiddenKind, string>> = {
  outside: 'outside the visible page',
  invisible: 'set as invisible text',
  transparent: 'in transparent ink',
  tiny: 'smaller than 2 pt',
  unseen: 'covered, or in the colour of the page,',
};

type Numbered = { readonly page: PdfPage; readonly number: number };

/** What a reader of the text must know of its pages, in a few lines however many they are. */
export function pageWarnings(pages: readonly PdfPage[]): readonly string[] {
  const numbered = pages.map((page, index) => ({ page, number: index + 1 })).filter(({ page }) => page.lost === null);
  return [
    ...unmappedWarnings(numbered),
    ...HIDDEN_KINDS.flatMap((kind) => leftOutWarnings(numbered, kind)),
    ...listed(
      numbered,
      (page) => page.isOcrLayer,
      (list) => `text of ${list} is an OCR layer`,
    ),
    ...listed(
      numbered,
      (page) => page.isUndrawn,
      (list) => `${list} cannot be drawn: text in the colour of the page was not looked for`,
    ),
    ...listed(
      numbered,
      (page) => page.wording === 'not as given',
      (list) => `${list}: read as printed; the file gives other words to copy (ActualText)`,
    ),
    ...listed(
      numbered,
      (page) => page.wording === 'given',
      (list) => `${list}: words that the file gives to copy (ActualText) stand for glyphs that cannot be read`,
    ),
    ...unreadWarnings(numbered, 'fields', 'form field'),
    ...unreadWarnings(numbered, 'notes', 'annotation'),
    ...listed(numbered, isMostlyImage, (list) => `${list}: almost all is an image, whose text is not read`),
    ...listed(numbered, hasOnlyGraphics, (list, many) => `${list} ${many ? 'have' : 'has'} no text, only graphics`),
  ];
}

function unmappedWarnings(pages: readonly Numbered[]): readonly string[] {
  const bad = pages.filter(({ page }) => page.unmapped > page.glyphs * WARNED_SHARE);
  if (bad.length <= MOST_PAGES) {
    return bad.map(({ page, number }) => `page ${number}: ${percent(page.unmapped, page.glyphs)} of the glyphs stand for no character`);
  }
  const share = percent(
    sum(bad, ({ page }) => page.unmapped),
    sum(bad, ({ page }) => page.glyphs),
  );
  return [`${pageList(bad.map(({ number }) => number))}: ${share} of the glyphs stand for no character`];
}

function leftOutWarnings(pages: readonly Numbered[], kind: HiddenKind): readonly string[] {
  const found = pages.filter(({ page }) => page.leftOut[kind] > 0);
  const told = (glyphs: number) => `${count(glyphs, 'character')} ${LEFT_OUT[kind]} left out`;
  if (found.length <= MOST_PAGES) return found.map(({ page, number }) => `page ${number}: ${told(page.leftOut[kind])}`);
  return [`${pageList(found.map(({ number }) => number))}: ${told(sum(found, ({ page }) => page.leftOut[kind]))}`];
}

function unreadWarnings(pages: readonly Numbered[], kind: 'fields' | 'notes', name: string): readonly string[] {
  const found = pages.filter(({ page }) => page.annotations[kind] > 0);
  if (found.length === 0) return [];
  const total = count(
    sum(found, ({ page }) => page.annotations[kind]),
    name,
  );
  return [`${pageList(found.map(({ number }) => number))}: ${total} not read`];
}

function listed(
  pages: readonly Numbered[],
  isMeant: (page: PdfPage) => boolean,
  told: (list: string, many: boolean) => string,
): readonly string[] {
  const numbers = pages.filter(({ page }) => isMeant(page)).map(({ number }) => number);
  return numbers.length === 0 ? [] : [told(pageList(numbers), numbers.length > 1)];
}

function isMostlyImage(page: PdfPage): boolean {
  return page.imageShare >= IMAGE_SHARE && page.glyphs > 0 && page.glyphs < FEW_GLYPHS && !page.isOcrLayer;
}

function hasOnlyGraphics(page: PdfPage): boolean {
  return page.glyphs === 0 && page.hasGraphics;
}
