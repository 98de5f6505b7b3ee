import type { Page } from '../../domain/document.ts';
import type { Assembled } from '../assemble.ts';
import type { Heading } from '../sections.ts';
import type { PdfBookmark } from './pdf-text.ts';

/** A title in the text takes at most so many lines. */
const TITLE_LINES = 3;
/** A page of more lines is none that a person made; titles are looked for in the first of them. */
const MOST_LINES = 1000;

/** What a page has in the place of a title: a line and the two below it, without white space and capitals. */
type Opening = { readonly text: string; readonly bare: string };

/** Headings of the outline, each at the line of its page that begins with its title, else at the start of the page. */
export function outlineHeadings(bookmarks: readonly PdfBookmark[], assembled: Assembled): readonly Heading[] {
  const titles = new Map<number, PageTitles>();
  return bookmarks.flatMap(({ title, level, page: pageIndex }) => {
    const page = pageIndex === null ? undefined : assembled.pages[pageIndex];
    if (pageIndex === null || page === undefined) return [];
    const onPage = titles.get(pageIndex) ?? new PageTitles(assembled.text, page);
    titles.set(pageIndex, onPage);
    return [{ title, level, start: onPage.startOf(title) }];
  });
}

/** Looks for titles on a page, one after the other. Only lines that are looked at are squeezed: most titles stand in the first ones. */
class PageTitles {
  readonly #lines: readonly string[];
  readonly #squeezed: string[] = [];
  readonly #openings: Opening[] = [];
  /** The line that the search has come to, and its offset. */
  #at = 0;
  #start: number;

  constructor(text: string, page: Page) {
    this.#lines = text.slice(page.start, page.end).split('\n', MOST_LINES);
    this.#start = page.start;
  }

  /** Offset of the line that begins with a title; one that is not found stands where the search for it began. */
  startOf(title: string): number {
    const found = this.#find(squeeze(title));
    for (; this.#at < found; this.#at += 1) this.#start += (this.#lines[this.#at]?.length ?? 0) + 1;
    return this.#start;
  }

  /** A title may break over lines; the outline may or may not repeat the section's number. */
  #find(title: string): number {
    const bareTitle = withoutNumber(title) || title;
    for (let index = this.#at; title !== '' && index < this.#lines.length; index += 1) {
      const { text, bare } = this.#openingAt(index);
      if (text.startsWith(title) || bare.startsWith(bareTitle)) return index;
    }
    return this.#at;
  }

  #openingAt(index: number): Opening {
    const known = this.#openings[index];
    if (known !== undefined) return known;
    const lines = Array.from({ length: TITLE_LINES }, (_, below) => this.#squeezedLine(index + below));
    const text = lines[0] === '' ? '' : lines.join('');
    const opening = { text, bare: withoutNumber(text) };
    this.#openings[index] = opening;
    return opening;
  }

  #squeezedLine(index: number): string {
    const known = this.#squeezed[index];
    if (known !== undefined) return known;
    const squeezed = squeeze(this.#lines[index] ?? '');
    this.#squeezed[index] = squeezed;
    return squeezed;
  }
}

function withoutNumber(text: string): string {
  return text.replace(/^[\d.]+/, '');
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, '').toLowerCase();
}
