/** What was taken off, for the log. `pages` counts the pages that had the line. */
type RunningLine = { readonly text: string; readonly pages: number };

/** Per page the indices of the lines to drop, and what was dropped. */
export type RunningLines = {
  readonly drop: readonly ReadonlySet<number>[];
  readonly found: readonly RunningLine[];
};

type Lines = readonly { readonly text: string }[];
type Edge = 'head' | 'foot';
/** A line near an edge of a page; `depth` counts from the edge, blank lines left out. */
type EdgeLine = { readonly page: number; readonly index: number; readonly depth: number; readonly mask: string; readonly text: string };

/** Heads and feet are at most this deep; where the next line repeats too, it is body text that pages have in common. */
const DEEPEST = 2;
const SHARE = 0.6;
const FEWEST_PAGES = 3;

/**
 * Lines at the head and foot of pages that are equal, digits aside, on at least 60 % of all, of the odd or of the even pages.
 * Returns the line indices per page to drop; never all lines of a page.
 */
export function findRunningLines(pages: readonly Lines[]): RunningLines {
  const drop = pages.map(() => new Set<number>());
  const found: RunningLine[] = [];
  for (const edge of ['head', 'foot'] as const) {
    for (const [text, lines] of runningAt(pages, edge)) {
      const dropped = lines.filter((line) => hasOtherText(pages[line.page] ?? [], drop[line.page] ?? new Set(), line.index));
      for (const line of dropped) drop[line.page]?.add(line.index);
      if (dropped.length > 0) found.push({ text, pages: dropped.length });
    }
  }
  return { drop, found };
}

function runningAt(pages: readonly Lines[], edge: Edge): readonly (readonly [text: string, lines: readonly EdgeLine[]])[] {
  const lines = pages.flatMap((page, index) => edgeLines(page, index, edge));
  const groups = new Map<string, EdgeLine[]>();
  for (const line of lines) {
    const group = groups.get(line.mask);
    if (group === undefined) groups.set(line.mask, [line]);
    else group.push(line);
  }
  const running = [...groups.values()].filter((group) => isRunning(group, pages.length));
  const bodyPages = new Set(running.flat().flatMap((line) => (line.depth >= DEEPEST ? [line.page] : [])));
  return running.flatMap((group) => {
    const kept = group.filter((line) => line.depth < DEEPEST && !bodyPages.has(line.page));
    return kept[0] === undefined ? [] : [[kept[0].text, kept]];
  });
}

function edgeLines(page: Lines, pageIndex: number, edge: Edge): readonly EdgeLine[] {
  const nearest: { index: number; text: string }[] = [];
  for (let step = 0; step < page.length && nearest.length <= DEEPEST; step += 1) {
    const index = edge === 'head' ? step : page.length - 1 - step;
    const text = page[index]?.text.trim() ?? '';
    if (text !== '') nearest.push({ index, text });
  }
  return nearest.map(({ index, text }, depth) => ({
    page: pageIndex,
    index,
    depth,
    text,
    mask: text.replace(/\d+/g, '#').replace(/\s+/g, ' '),
  }));
}

function isRunning(group: readonly EdgeLine[], pageCount: number): boolean {
  const pages = new Set(group.map((line) => line.page));
  if (!/\p{L}/u.test(group[0]?.mask ?? '') && !countsPages(group)) return false;
  const odd = [...pages].filter((page) => page % 2 === 0).length;
  return (
    isCommon(pages.size, pageCount) || isCommon(odd, Math.ceil(pageCount / 2)) || isCommon(pages.size - odd, Math.floor(pageCount / 2))
  );
}

function isCommon(count: number, of: number): boolean {
  return count >= FEWEST_PAGES && count >= of * SHARE;
}

/** Bare numbers are page numbers only when they rise with the pages: the last row of a table stays. */
function countsPages(group: readonly EdgeLine[]): boolean {
  const distances = new Map<number, number>();
  for (const line of group) {
    const distance = Number(/(\d+)\D*$/.exec(line.text)?.[1] ?? Number.NaN) - line.page;
    distances.set(distance, (distances.get(distance) ?? 0) + 1);
  }
  return !distances.has(Number.NaN) && Math.max(...distances.values()) >= group.length * SHARE;
}

function hasOtherText(page: Lines, dropped: ReadonlySet<number>, index: number): boolean {
  return page.some(({ text }, at) => at !== index && !dropped.has(at) && text.trim() !== '');
}
