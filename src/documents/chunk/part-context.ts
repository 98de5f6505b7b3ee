import { type CanonicalText, lastStarted, type Page, type Section, type Span } from '../../domain/document.ts';
import type { Part } from '../../domain/part.ts';

/** Where a part of a document stands, for whoever reads that part alone. */
export type PartContext = {
  readonly title: string | null;
  /** Titles of the sections that its first character stands in, the outermost first. */
  readonly headings: readonly string[];
  /** Titles of the sections that begin in it. */
  readonly begins: readonly string[];
  /** Of its first and last page with text in it; `null` for a document without pages. */
  readonly pages: { readonly first: PageName; readonly last: PageName } | null;
};

type PageName = Pick<Page, 'number' | 'label'>;

/** The place of `part` in its document. */
export function partContext({ title, sections, pages }: Pick<CanonicalText, 'title' | 'sections' | 'pages'>, part: Part): PartContext {
  const own = startedIn(pages, part.start, part.end).filter(({ start, end }) => start < end);
  const first = lastWithText(pages, part.start) ?? own[0];
  const last = own.at(-1) ?? first;
  return {
    title,
    headings: sectionsAt(sections, part.start).map(titleOf),
    begins: startedIn(sections, part.start, part.end).map(titleOf),
    pages: first === undefined || last === undefined ? null : { first: nameOf(first), last: nameOf(last) },
  };
}

/** Those that begin after `start` and before `end`. */
function startedIn<Each extends Span>(spans: readonly Each[], start: number, end: number): readonly Each[] {
  return spans.slice(lastStarted(spans, start) + 1, lastStarted(spans, end - 1) + 1);
}

/** The page that the text at `offset` stands on. */
function lastWithText(pages: readonly Page[], offset: number): Page | undefined {
  const page = pages[lastStarted(pages, offset)];
  return page !== undefined && offset < page.end ? page : undefined;
}

/** The sections around `offset`, the outermost first: going back from the innermost, each of a higher level until the highest. */
function sectionsAt(sections: readonly Section[], offset: number): Section[] {
  const around: Section[] = [];
  let level = Number.POSITIVE_INFINITY;
  for (let index = lastStarted(sections, offset); index >= 0 && level > 1; index -= 1) {
    const section = sections[index];
    if (section === undefined || section.level >= level || section.end <= offset) continue;
    around.push(section);
    level = section.level;
  }
  return around.reverse();
}

function titleOf({ title }: Section): string {
  return title;
}

function nameOf({ number, label }: Page): PageName {
  return { number, label };
}
