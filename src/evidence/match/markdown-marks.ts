import { CHARACTER, classAt, isBlank } from './characters.ts';

/** A span of code or emphasis longer than this is taken for a stray mark. */
const LONGEST_SPAN = 1_000;
const LONGEST_FENCE = 20_000;
const FENCE_TICKS = 3;
const CONTEXT = 8;
/** What is emphasised is seldom less than a word; what is multiplied mostly is. */
const WORD = /[\p{L}\p{M}]{2}/u;
const OPERAND_BEFORE = /(?:\p{N}|[)\]=]|(?:^|[\s(])\p{L})[^\S\n]*$/u;
const OPERAND_AFTER = /^[^\S\n]*(?:\p{N}|[([=]|\p{L}(?![\p{L}\p{N}]))/u;
const ESCAPABLE = /[!-/:-@[-`{-~]/;

/**
 * The marks of Markdown that a reader does not see and a quote often leaves out: `dropped[i]` is 1 for the backticks around
 * code, the `*` and `_` around emphasis, and the backslash before punctuation. Only marks with a partner count, so the star of
 * `int *p` and the underscores inside code stay, and no marks that may be operators: `2 *3* 4`, `(*a)*(b)`. `null` when the text has
 * none.
 */
export function markdownMarks(text: string): Uint8Array | null {
  if (!/[`*_\\]/.test(text)) return null;
  const dropped = new Uint8Array(text.length);
  const searched: Searched = new Map();
  let index = 0;
  while (index < text.length) index = stepOver(text, index, dropped, searched);
  return dropped;
}

/** For a mark of emphasis, the stretch that was searched last, and has no closing one: it is not searched again. */
type Searched = Map<string, { readonly from: number; readonly to: number }>;

/** Handles the mark at `index`, if one is there, and returns where to go on. */
function stepOver(text: string, index: number, dropped: Uint8Array, searched: Searched): number {
  const character = text[index];
  if (character === '\\') return stepOverEscape(text, index, dropped);
  if (character !== '`' && character !== '*' && character !== '_') return index + 1;
  const end = runEnd(text, index);
  if (dropped[index] === 1) return end;
  const closing = character === '`' ? closingTicks(text, index, end) : closingEmphasis(text, index, end, searched);
  if (closing === -1) return end;
  if (character !== '`' && mayBeOperators(text, { start: index, end }, closing)) return end;
  dropped.fill(1, index, end);
  dropped.fill(1, closing, closing + (end - index));
  return character === '`' ? closing + (end - index) : end;
}

function stepOverEscape(text: string, index: number, dropped: Uint8Array): number {
  if (!ESCAPABLE.test(text[index + 1] ?? '')) return index + 1;
  dropped[index] = 1;
  return index + 2;
}

function runEnd(text: string, start: number): number {
  let end = start + 1;
  while (text[end] === text[start]) end += 1;
  return end;
}

/** Start of the run of backticks that closes the one at `[start, end)`; -1 when none does. */
function closingTicks(text: string, start: number, end: number): number {
  const isFence = end - start >= FENCE_TICKS;
  const limit = Math.min(text.length, end + (isFence ? LONGEST_FENCE : LONGEST_SPAN));
  for (let index = end; index < limit; index += 1) {
    if (!isFence && endsParagraph(text, index)) return -1;
    if (text[index] !== '`') continue;
    const close = runEnd(text, index);
    if (close - index === end - start) return index;
    index = close - 1;
  }
  return -1;
}

function closingEmphasis(text: string, start: number, end: number, searched: Searched): number {
  if (isWord(text, start - 1) || isBlank(text, end)) return -1;
  const limit = Math.min(text.length, end + LONGEST_SPAN);
  const mark = text.slice(start, end);
  const known = searched.get(mark);
  const from = known !== undefined && known.from <= end && end <= known.to ? known.from : end;
  let index = known !== undefined && from !== end ? known.to : end;
  for (; index < limit; index += 1) {
    if (endsParagraph(text, index)) break;
    if (text[index] === '\\') index += 1;
    if (text[index] !== text[start]) continue;
    const close = runEnd(text, index);
    if (close - index === end - start && !isBlank(text, index - 1) && !isWord(text, close)) return index;
    index = close - 1;
  }
  searched.set(mark, { from, to: index });
  return -1;
}

/** Whether the emphasis around `[end, closing)` may be arithmetic or code: brackets without partners, or operands inside and beside. */
function mayBeOperators(text: string, { start, end }: { start: number; end: number }, closing: number): boolean {
  const inside = text.slice(end, closing);
  if (!isBalanced(inside)) return true;
  if (WORD.test(inside)) return false;
  return (
    OPERAND_BEFORE.test(text.slice(Math.max(0, start - CONTEXT), start)) ||
    OPERAND_AFTER.test(text.slice(closing + end - start, closing + end - start + CONTEXT))
  );
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '(' || character === '[') depth += 1;
    if (character === ')' || character === ']') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

function endsParagraph(text: string, index: number): boolean {
  return text[index] === '\n' && text[index + 1] === '\n';
}

function isWord(text: string, index: number): boolean {
  const kind = classAt(text, index);
  return kind === CHARACTER.letter || kind === CHARACTER.digit;
}
