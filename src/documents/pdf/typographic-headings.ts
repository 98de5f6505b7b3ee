import type { Assembled } from '../assemble.ts';
import { mayFollow, numberedHeading, readsLikeHeading } from '../numbered-headings.ts';
import type { Heading } from '../sections.ts';
import { sizedHeadings } from './sized-headings.ts';

/** The font of a numbered heading is at least this much larger than that of the text. */
const HEADING_SIZE = 1.08;
/** A single number may be anything; several that follow each other are the sections. */
const FEWEST_NUMBERED = 2;

/** Headings of a PDF without an outline: numbered ones in larger type, whose numbers follow each other; where there are none, those that size alone tells. */
export function typographicHeadings(assembled: Assembled, sizeAt: ReadonlyMap<number, number>): readonly Heading[] {
  const bodySize = medianSize(assembled, sizeAt);
  const numbered = numberedHeadings(assembled, { sizeAt, bodySize });
  if (numbered.length >= FEWEST_NUMBERED) return numbered;
  const sized = sizedHeadings(assembled, { sizeAt, bodySize });
  return sized.length > 0 ? sized : numbered;
}

type Sizes = { readonly sizeAt: ReadonlyMap<number, number>; readonly bodySize: number };

function numberedHeadings(assembled: Assembled, { sizeAt, bodySize }: Sizes): readonly Heading[] {
  const headings: Heading[] = [];
  let previous: readonly number[] | null = null;
  for (const [index, line] of assembled.text.split('\n').entries()) {
    const start = assembled.lines.start[index] ?? 0;
    const heading = numberedHeading(line);
    if (heading === null || !readsLikeHeading(heading) || !mayFollow(previous, heading.number)) continue;
    if ((sizeAt.get(start) ?? 0) < bodySize * HEADING_SIZE) continue;
    headings.push({ title: heading.title, level: heading.number.length, start });
    previous = heading.number;
  }
  return headings;
}

/** Size that most of the text is set in, by characters. */
function medianSize(assembled: Assembled, sizeAt: ReadonlyMap<number, number>): number {
  const { start } = assembled.lines;
  const weighted = start.map((at, index) => ({
    size: sizeAt.get(at) ?? 0,
    characters: (start[index + 1] ?? assembled.text.length) - at,
  }));
  weighted.sort((a, b) => a.size - b.size);
  let remaining = assembled.text.length / 2;
  for (const { size, characters } of weighted) {
    remaining -= characters;
    if (remaining <= 0) return size;
  }
  return 0;
}
