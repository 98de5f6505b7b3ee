import type { Assembled } from '../assemble.ts';
import type { Heading } from '../sections.ts';

/** The font of a heading is at least this much larger than that of the text. */
const HEADING_SIZE = 1.15;
/** A heading takes at most so many lines of so many characters: more is large text, such as that of slides. */
const MOST_LINES = 3;
const MOST_CHARACTERS = 100;
/** Fewer headings of one size are a title, its authors, a pull quote. */
const FEWEST_OF_SIZE = 3;
/** Of the lines of one size, at least this share must read like headings. */
const LIKE_HEADINGS = 0.8;
/** Where more of the text than this is large, size tells nothing. */
const MOST_OF_TEXT = 0.15;
/** Sizes that round to the same multiple of this, in points, are one. */
const SIZE_STEP = 0.5;

const STARTS_LIKE_A_TITLE = /^["'“‘(]?[\p{Lu}\p{Lo}\d]/u;
const ENDS_LIKE_A_SENTENCE = /[.,;:]$/;
const CONTENTS_ENTRY = /\.{3,}|(?:\. ){3,}|\s\d{1,4}$/;
const HAS_WORD = /\p{L}{2}/u;

type Block = { readonly title: string; readonly size: number; readonly lines: number; readonly start: number };

/** Headings that stand out by the size of their type alone; none where that is in doubt. Levels follow the sizes, the largest first. */
export function sizedHeadings(
  assembled: Assembled,
  { sizeAt, bodySize }: { sizeAt: ReadonlyMap<number, number>; bodySize: number },
): readonly Heading[] {
  const large = largeBlocks(assembled, sizeAt, bodySize * HEADING_SIZE);
  const characters = large.reduce((total, block) => total + block.title.length, 0);
  if (bodySize === 0 || characters > assembled.text.length * MOST_OF_TEXT) return [];
  const bySize = new Map<number, Block[]>();
  for (const block of large) {
    const size = Math.round(block.size / SIZE_STEP);
    const others = bySize.get(size);
    if (others === undefined) bySize.set(size, [block]);
    else others.push(block);
  }
  const sizes = [...bySize].sort(([one], [other]) => other - one).map(([, blocks]) => blocks);
  const accepted = sizes.map((blocks) => ({ all: blocks, good: blocks.filter(readsLikeHeading) })).filter(isClassOfHeadings);
  return accepted.flatMap(({ good }, index) => good.map(({ title, start }) => ({ title, level: index + 1, start })));
}

function isClassOfHeadings({ all, good }: { all: readonly Block[]; good: readonly Block[] }): boolean {
  return good.length >= FEWEST_OF_SIZE && good.length >= all.length * LIKE_HEADINGS;
}

/** Lines of large type; neighbours of one size are one block. */
function largeBlocks(assembled: Assembled, sizeAt: ReadonlyMap<number, number>, leastSize: number): readonly Block[] {
  const blocks: Block[] = [];
  let previousLine = -2;
  for (const [index, line] of assembled.text.split('\n').entries()) {
    const start = assembled.lines.start[index] ?? 0;
    const size = sizeAt.get(start) ?? 0;
    if (size < leastSize || line.trim() === '') continue;
    const last = blocks.at(-1);
    if (last !== undefined && previousLine === index - 1 && Math.abs(last.size - size) < SIZE_STEP / 2) {
      blocks[blocks.length - 1] = { ...last, title: `${last.title} ${line}`, lines: last.lines + 1 };
    } else blocks.push({ title: line, size, lines: 1, start });
    previousLine = index;
  }
  return blocks;
}

function readsLikeHeading({ title, lines }: Block): boolean {
  if (lines > MOST_LINES || title.length > MOST_LINES * MOST_CHARACTERS || !HAS_WORD.test(title)) return false;
  return STARTS_LIKE_A_TITLE.test(title) && !ENDS_LIKE_A_SENTENCE.test(title) && !CONTENTS_ENTRY.test(title);
}
