/** A heading line such as `5.1. User-Name`; `number` is `[5, 1]`. */
export type NumberedHeading = { readonly number: readonly number[]; readonly title: string };

/** Longer lines are sentences. */
const MAX_HEADING_CHARACTERS = 100;

const NUMBERED = /^(\d{1,3}(?:\.\d{1,3}){0,7})\.?[ \t]+(\S.*)$/;
// Dot leaders, or a page number set off to the right.
const CONTENTS_ENTRY = /\.{3,}|(?:\. ){3,}|\s{3,}\S{1,6}$/;
const STARTS_LIKE_A_TITLE = /^["'“‘(]?[\p{Lu}\p{Lo}]/u;
const ENDS_LIKE_A_SENTENCE = /[.,;:]$/;

/** The heading on a line that begins with a section number at its first column; `null` for entries of a table of contents. */
export function numberedHeading(line: string): NumberedHeading | null {
  if (line.length > MAX_HEADING_CHARACTERS || CONTENTS_ENTRY.test(line)) return null;
  const match = NUMBERED.exec(line);
  if (match?.[1] === undefined || match[2] === undefined) return null;
  return { number: match[1].split('.').map(Number), title: line };
}

/** Whether what follows the number reads like a heading rather than like a list item: a capital first, no full stop last. */
export function readsLikeHeading(heading: NumberedHeading): boolean {
  const words = NUMBERED.exec(heading.title)?.[2] ?? '';
  return STARTS_LIKE_A_TITLE.test(words) && !ENDS_LIKE_A_SENTENCE.test(words);
}

/** Whether a section number may follow another: its first child, or the next one at its own or an outer depth. */
export function mayFollow(previous: readonly number[] | null, next: readonly number[]): boolean {
  if (previous === null) return next.length === 1 && (next[0] ?? 0) <= 1;
  const last = next.at(-1) ?? 0;
  const outer = next.slice(0, -1);
  if (outer.some((part, index) => part !== previous[index])) return false;
  if (next.length === previous.length + 1) return last <= 1;
  return next.length <= previous.length && last === (previous[next.length - 1] ?? 0) + 1;
}
