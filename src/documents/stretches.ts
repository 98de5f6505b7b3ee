import { estimateTokens, type TokenCount } from './tokens.ts';

/** So many characters are counted together. The time a tokenizer takes for one endless word grows with its square: here it ends. */
const STRETCH = 128;
/** How much further a place is looked for at which a tokenizer cuts as well. */
const FURTHER = 48;

/** Where the stretches of a text end; the text alone says it. Counted one by one they have the tokens of the whole, within a hundredth. */
export function stretchEnds(text: string): number[] {
  const ends: number[] = [];
  for (let start = 0; text.length - start > STRETCH + FURTHER; ) {
    start = cutAfter(text, start + STRETCH);
    ends.push(start);
  }
  return text === '' ? ends : [...ends, text.length];
}

/** The next place before a word or after a line end; else no further than a character must not be cut. */
function cutAfter(text: string, least: number): number {
  for (let at = least; at < least + FURTHER; at += 1) {
    const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
    if (before === LINE_FEED && after !== LINE_FEED && after !== SLASH) return at;
    if (after === SPACE && before > SPACE && isLetter(text.charCodeAt(at + 1))) return at;
  }
  return isLowSurrogate(text.charCodeAt(least)) ? least + 1 : least;
}

/** Tokens of a piece of a text, by what was counted of it all; two that follow each other have those of both together. */
export function tokensBetween(text: string, { tokens, stretches }: TokenCount): (start: number, end: number) => number {
  const ends = stretchEnds(text);
  const each = stretches?.length === ends.length ? stretches : estimates(text, ends, tokens);
  const sums = [0];
  for (const count of each) sums.push((sums.at(-1) ?? 0) + count);
  let known: Spread | null = null;
  const upTo = (offset: number): number => {
    const index = firstAfter(ends, offset);
    if (offset >= text.length) return sums[index] ?? 0;
    const start = ends[index - 1] ?? 0;
    if (known?.start !== start) known = spreadOf(text, start, ends[index] ?? text.length);
    return (sums[index] ?? 0) + (each[index] ?? 0) * shareBefore(known, offset);
  };
  return (start, end) => upTo(end) - upTo(start);
}

/** How a stretch's tokens are spread over it, by estimate, since prose and a formula may share it: the sums before each bit of it. */
type Spread = { readonly start: number; readonly sums: readonly number[] };

const BIT = 16;

function spreadOf(text: string, start: number, end: number): Spread {
  const sums = [0];
  for (let at = start; at < end; at += BIT) sums.push((sums.at(-1) ?? 0) + estimateTokens(text.slice(at, Math.min(at + BIT, end))));
  return { start, sums };
}

function shareBefore({ start, sums }: Spread, offset: number): number {
  const index = Math.floor((offset - start) / BIT);
  const before = sums[index] ?? 0;
  const within = ((offset - start) % BIT) / BIT;
  return (before + ((sums[index + 1] ?? before) - before) * within) / Math.max(1, sums.at(-1) ?? 1);
}

/** Of each stretch, so that they have all tokens together. */
function estimates(text: string, ends: readonly number[], tokens: number): number[] {
  const each = ends.map((end, index) => estimateTokens(text.slice(ends[index - 1] ?? 0, end)));
  const error =
    tokens /
    Math.max(
      1,
      each.reduce((sum, count) => sum + count, 0),
    );
  return each.map((count) => count * error);
}

/** Index of the first of ascending values that is greater. */
function firstAfter(values: readonly number[], limit: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

const LINE_FEED = 0x0a;
const SPACE = 0x20;
const SLASH = 0x2f;

function isLetter(code: number): boolean {
  return (
    (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || (code >= 0xc0 && code < 0x2000) || (code >= 0x3040 && code < 0xd800)
  );
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
