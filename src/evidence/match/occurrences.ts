/** More hits than this are not counted: the quote says nothing by then. */
const MOST_HITS = 1_000;
/** Every hit is compared unit by unit: long needles, which repeat themselves to be found often, are compared less often. */
const MOST_COMPARED = 10_000_000;
/** Longer needles are found by their beginning, so that a hostile one cannot make the search quadratic. */
const LONGEST_HEAD = 4_096;

/** Offsets of `needle` in `text`, ascending, overlapping ones included; at most 1,000, fewer for needles of over 10,000 units. Empty for an empty needle. */
export function occurrencesOf(text: string, needle: string): number[] {
  if (needle === '' || needle.length > text.length) return [];
  const head = needle.slice(0, LONGEST_HEAD);
  const rest = needle.slice(LONGEST_HEAD);
  const found: number[] = [];
  const mostHits = Math.max(1, Math.min(MOST_HITS, Math.floor(MOST_COMPARED / needle.length)));
  let at = text.indexOf(head);
  while (at !== -1 && found.length < mostHits) {
    if (rest === '' || text.startsWith(rest, at + head.length)) found.push(at);
    at = text.indexOf(head, at + 1);
  }
  return found;
}
