import type { Assembled } from '../assemble.ts';
import { mayFollow, numberedHeading, readsLikeHeading } from '../numbered-headings.ts';
import type { Heading } from '../sections.ts';
import type { PdfBookmark } from './pdf-text.ts';

/** A heading's glyphs are at least this much taller than those of the text. */
const HEADING_HEIGHT = 1.08;

/** A title in the text takes at most so many lines. */
const TITLE_LINES = 3;

/** Headings of the outline, each at the line of its page that begins with its title, else at the start of the page. */
export function outlineHeadings(bookmarks: readonly PdfBookmark[], assembled: Assembled): readonly Heading[] {
  const squeezed = assembled.text.split('\n').map(squeeze);
  const lines = squeezed.map((text, index) => ({
    text: text === '' ? '' : squeezed.slice(index, index + TITLE_LINES).join(''),
    start: assembled.lines.start[index] ?? 0,
  }));
  const searchedTo = new Map<number, number>();
  return bookmarks.flatMap(({ title, level, page: pageIndex }) => {
    const page = pageIndex === null ? undefined : assembled.pages[pageIndex];
    if (pageIndex === null || page === undefined) return [];
    const from = searchedTo.get(pageIndex) ?? page.start;
    const line = lines.find(({ text, start }) => start >= from && start < page.end && beginsWith(text, squeeze(title)));
    if (line !== undefined) searchedTo.set(pageIndex, line.start);
    return [{ title, level, start: line?.start ?? from }];
  });
}

/** A title may break over lines; the outline may or may not repeat the section's number. */
function beginsWith(text: string, title: string): boolean {
  if (title === '') return false;
  const bareTitle = title.replace(/^[\d.]+/, '') || title;
  return text.startsWith(title) || text.replace(/^[\d.]+/, '').startsWith(bareTitle);
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, '').toLowerCase();
}

/** Numbered headings of a PDF without an outline: in larger type than the text, with numbers that follow each other. */
export function typographicHeadings(assembled: Assembled, heightAt: ReadonlyMap<number, number>): readonly Heading[] {
  const bodyHeight = medianHeight(assembled, heightAt);
  const headings: Heading[] = [];
  let previous: readonly number[] | null = null;
  for (const [index, line] of assembled.text.split('\n').entries()) {
    const start = assembled.lines.start[index] ?? 0;
    const heading = numberedHeading(line);
    if (heading === null || !readsLikeHeading(heading) || !mayFollow(previous, heading.number)) continue;
    if ((heightAt.get(start) ?? 0) < bodyHeight * HEADING_HEIGHT) continue;
    headings.push({ title: heading.title, level: heading.number.length, start });
    previous = heading.number;
  }
  return headings;
}

/** Height of the glyphs that most of the text is set in, by characters. */
function medianHeight(assembled: Assembled, heightAt: ReadonlyMap<number, number>): number {
  const { start } = assembled.lines;
  const weighted = start.map((at, index) => ({
    height: heightAt.get(at) ?? 0,
    characters: (start[index + 1] ?? assembled.text.length) - at,
  }));
  weighted.sort((a, b) => a.height - b.height);
  let remaining = assembled.text.length / 2;
  for (const { height, characters } of weighted) {
    remaining -= characters;
    if (remaining <= 0) return height;
  }
  return 0;
}
