import type { Block, CanonicalText, Span } from '../../domain/document.ts';

/** A paragraph with the blank lines after it, or a block: what is cut only where it does not fit whole. */
export type Unit = Span & { readonly block: Block | null };

/** Paragraphs of so few characters that there would be more go together: a hostile text must not need a gigabyte. */
const MOST_PARAGRAPHS = 200_000;

/** The units of a text, which tile it. A heading stands in one unit with the paragraph below it. */
export function unitsOf({ text, sections, blocks }: Pick<CanonicalText, 'text' | 'sections' | 'blocks'>): Unit[] {
  const headings = new Set(sections.map(({ start }) => start));
  const least = Math.ceil(text.length / MOST_PARAGRAPHS);
  const units: Unit[] = [];
  const addParagraphs = (from: number, to: number): void => {
    for (const region of regions(sections, from, to)) {
      for (const unit of paragraphs(text, region, { hasHeading: headings.has(region.start), least })) units.push(unit);
    }
  };
  let end = 0;
  for (const block of blocks) {
    addParagraphs(end, block.start);
    const blockEnd = afterLineEnds(text, Math.min(block.end, text.length));
    if (block.start < blockEnd && end <= block.start) units.push({ start: block.start, end: blockEnd, block });
    end = Math.max(end, blockEnd);
  }
  addParagraphs(end, text.length);
  return units;
}

/** `[start, end)` cut where sections begin. */
function* regions(sections: CanonicalText['sections'], start: number, end: number): Generator<Span> {
  let from = start;
  for (let index = firstAfter(sections, start); index < sections.length; index += 1) {
    const to = sections[index]?.start ?? end;
    if (to >= end) break;
    if (from < to) yield { start: from, end: to };
    from = to;
  }
  if (from < end) yield { start: from, end };
}

function firstAfter(sections: CanonicalText['sections'], offset: number): number {
  let [low, high] = [0, sections.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sections[middle]?.start ?? 0) > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

type ParagraphRule = { readonly hasHeading: boolean; readonly least: number };

function* paragraphs(text: string, { start, end }: Span, { hasHeading, least }: ParagraphRule): Generator<Unit> {
  const region = text.slice(start, end);
  let from = 0;
  for (let gap = region.indexOf('\n\n'); gap !== -1; ) {
    const to = afterLineEnds(region, gap);
    const isHeading = hasHeading && from === 0 && region.indexOf('\n') === gap;
    if (!isHeading && to - from >= least && to < region.length) {
      yield { start: start + from, end: start + to, block: null };
      from = to;
    }
    gap = region.indexOf('\n\n', to);
  }
  yield { start: start + from, end, block: null };
}

function afterLineEnds(text: string, offset: number): number {
  let at = offset;
  while (text.charCodeAt(at) === 0x0a) at += 1;
  return at;
}
