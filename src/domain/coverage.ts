import type { CanonicalText, LostPage, Section, Span } from './document.ts';

/** What of which version of a document was in the prompts that a job's answer rests on. */
export type Coverage = {
  readonly textSha256: string;
  readonly extractor: string;
  /** Merged and in order. */
  readonly spans: readonly Span[];
  /** UTF-16 units in `spans`, and of the whole text. */
  readonly characters: number;
  readonly of: number;
  /** Of how many parts; 1 when it was asked whole. */
  readonly parts: number;
  /** Sections with any of their own text in a prompt. `missed`: titles of the others, at most `MOST_NAMED`. */
  readonly sections: { readonly seen: number; readonly of: number; readonly missed: readonly string[] };
  /**
   * `null` for a document without pages. `of`: all its pages, `seen`: those of which nothing was missed or something was in a prompt;
   * `missed`: numbers of the others, at most `MOST_NAMED`, but for the pages that are lost.
   */
  readonly pages: { readonly seen: number; readonly of: number; readonly missed: readonly number[] } | null;
  /** Pages that the document itself lacks: nobody could have seen them. */
  readonly lostPages: readonly LostPage[];
};

/** Names of what was missed that are kept. */
const MOST_NAMED = 20;

/** The ledger of a document of which `spans` were in prompts, in `parts` calls. */
export function coverageOf(content: CanonicalText, spans: readonly Span[], parts: number): Coverage {
  const merged = mergeSpans(spans);
  const lost = new Set(content.lostPages.map(({ number }) => number));
  const sections = content.sections.map((section, index) => ({
    section,
    seen: isSeen(merged, ownSpan(content.sections, section, index)),
  }));
  const pages = content.pages.filter(({ number }) => !lost.has(number)).map((page) => ({ page, seen: isSeen(merged, page) }));
  return {
    textSha256: content.textSha256,
    extractor: content.extractor,
    spans: merged,
    characters: merged.reduce((sum, { start, end }) => sum + end - start, 0),
    of: content.text.length,
    parts,
    sections: {
      seen: sections.filter(({ seen }) => seen).length,
      of: sections.length,
      missed: sections.flatMap(({ section, seen }) => (seen ? [] : [section.title])).slice(0, MOST_NAMED),
    },
    pages:
      content.pages.length === 0
        ? null
        : {
            seen: pages.filter(({ seen }) => seen).length,
            of: content.pages.length,
            missed: pages.flatMap(({ page, seen }) => (seen ? [] : [page.number])).slice(0, MOST_NAMED),
          },
    lostPages: content.lostPages,
  };
}

/** Whether everything that the document has was in a prompt, and the document lacks nothing. */
export function isWhole({ characters, of, lostPages }: Pick<Coverage, 'characters' | 'of' | 'lostPages'>): boolean {
  return characters === of && lostPages.length === 0;
}

/** The same characters in the fewest spans, in order. */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else if (start < end) merged.push({ start, end });
  }
  return merged;
}

/** A section without its subsections: from its heading to the next heading. */
function ownSpan(sections: readonly Section[], section: Section, index: number): Span {
  return { start: section.start, end: Math.min(section.end, sections[index + 1]?.start ?? section.end) };
}

/** Of what has no text, such as a blank page, nothing was missed. */
function isSeen(spans: readonly Span[], { start, end }: Span): boolean {
  return start >= end || spans.some((span) => span.start < end && start < span.end);
}
