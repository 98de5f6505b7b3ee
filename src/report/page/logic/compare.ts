/** A stretch of words that both have, or that only this side has. */
export type ComparedPart = { readonly text: string; readonly same: boolean };

export type Comparison = { readonly quote: readonly ComparedPart[]; readonly document: readonly ComparedPart[] };

/** Cells of the table that finds what is common; beyond it, all between the common ends counts as different. */
const MOST_CELLS = 250_000;

/** What a quote and the document's words have in common, word by word. */
export function compareWords(quote: string, document: string): Comparison {
  const [a, b] = [wordsOf(quote), wordsOf(document)];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const common = commonWords(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const isSame = (words: readonly string[], kept: ReadonlySet<number>) => (_: string, index: number) =>
    index < head || index >= words.length - tail || kept.has(index - head);
  return { quote: joined(a, isSame(a, common.a)), document: joined(b, isSame(b, common.b)) };
}

/** Words, each with the white space behind it counted apart. */
function wordsOf(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}]/gu)?.map((word) => (/^\s/.test(word) ? ' ' : word)) ?? [];
}

/** Longest common subsequence, as places on both sides. */
function commonWords(a: readonly string[], b: readonly string[]): { a: Set<number>; b: Set<number> } {
  const kept = { a: new Set<number>(), b: new Set<number>() };
  if (a.length * b.length > MOST_CELLS) return kept;
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const [down, right, across] = [
        lengths[(i + 1) * width + j] ?? 0,
        lengths[i * width + j + 1] ?? 0,
        lengths[(i + 1) * width + j + 1] ?? 0,
      ];
      lengths[i * width + j] = a[i] === b[j] ? across + 1 : Math.max(down, right);
    }
  }
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      kept.a.add(i++);
      kept.b.add(j++);
    } else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) i += 1;
    else j += 1;
  }
  return kept;
}

function joined(words: readonly string[], isSame: (word: string, index: number) => boolean): ComparedPart[] {
  const parts: { text: string; same: boolean }[] = [];
  words.forEach((word, index) => {
    const same = isSame(word, index);
    const last = parts.at(-1);
    if (last !== undefined && last.same === same) last.text += word;
    else parts.push({ text: word, same });
  });
  return parts;
}
