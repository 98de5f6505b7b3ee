/** More hits than this are not counted: the quote says nothing by then. */
const MOST_HITS = 1_000;
/** Every hit is judged unit by unit: long needles, which repeat themselves to be found often, are counted less often. */
const MOST_JUDGED = 1_000_000;
/** The engine's search may compare a needle of this many units at every place of a text; a longer one is found by its head. */
const LONGEST_HEAD = 256;
/** Units compared behind heads before the search is left to the one that compares none twice. */
const MOST_COMPARED = 2_000_000;

/** Offsets of `needle` in `text`, ascending, overlapping ones included; at most `most`, fewer for needles of over 1,000 units. Empty for an empty needle. Linear on any text. */
export function occurrencesOf(text: string, needle: string, most = MOST_HITS): number[] {
  if (needle === '' || needle.length > text.length) return [];
  const head = needle.slice(0, LONGEST_HEAD);
  const rest = needle.slice(LONGEST_HEAD);
  const found: number[] = [];
  const mostHits = Math.min(most, mostHitsOf(needle));
  let compared = 0;
  for (let at = text.indexOf(head); at !== -1 && found.length < mostHits; at = text.indexOf(head, at + 1)) {
    if (compared > MOST_COMPARED) return [...found, ...occurrencesFrom(text, needle, at, mostHits - found.length)];
    compared += needle.length;
    if (rest === '' || text.startsWith(rest, at + head.length)) found.push(at);
  }
  return found;
}

function mostHitsOf(needle: string): number {
  return Math.max(1, Math.min(MOST_HITS, Math.floor(MOST_JUDGED / needle.length)));
}

/** The search of Knuth, Morris and Pratt: slower than the engine's on a plain text, and never slower than that. */
function occurrencesFrom(text: string, needle: string, from: number, most: number): number[] {
  const borders = bordersOf(needle);
  const found: number[] = [];
  let matched = 0;
  for (let i = from; i < text.length && found.length < most; i += 1) {
    const unit = text.charCodeAt(i);
    while (matched > 0 && unit !== needle.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (unit === needle.charCodeAt(matched)) matched += 1;
    if (matched < needle.length) continue;
    found.push(i + 1 - matched);
    matched = borders[matched - 1] ?? 0;
  }
  return found;
}

/** For each beginning of the needle, the length of the longest shorter one that it ends with. */
function bordersOf(needle: string): Int32Array {
  const borders = new Int32Array(needle.length);
  let matched = 0;
  for (let i = 1; i < needle.length; i += 1) {
    const unit = needle.charCodeAt(i);
    while (matched > 0 && unit !== needle.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (unit === needle.charCodeAt(matched)) matched += 1;
    borders[i] = matched;
  }
  return borders;
}
