/** More hits than this are not counted: the quote says nothing by then. */
const MOST_HITS = 1_000;
/** Longer needles are found by their beginning, so that a hostile one cannot make the search quadratic. */
const LONGEST_HEAD = 4_096;

/** Offsets of `needle` in `text`, ascending, overlapping ones included; at most 1,000. Empty for an empty needle. */
export function occurrencesOf(text: string, needle: string): number[] {
  if (needle === '' || needle.length > text.length) return [];
  const head = needle.slice(0, LONGEST_HEAD);
  const rest = needle.slice(LONGEST_HEAD);
  const found: number[] = [];
  let at = text.indexOf(head);
  while (at !== -1 && found.length < MOST_HITS) {
    if (rest === '' || text.startsWith(rest, at + head.length)) found.push(at);
    at = text.indexOf(head, at + 1);
  }
  return found;
}
