import { lazy } from '../../domain/lazy.ts';

/** Its tables take 20 ms to load. */
const graphemes = lazy(() => new Intl.Segmenter('en', { granularity: 'grapheme' }));
// biome-ignore lint/suspicious/noControlCharactersInRegex: our own colour codes take no room
const COLOUR_CODES = /\u001b\[\d+m/g;
const ASCII = /^[\x20-\x7e]*$/;
// East Asian wide and fullwidth blocks, and emoji drawn as pictures.
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;
const EMOJI = /^\p{Emoji_Presentation}|\ufe0f/u;
const COMBINING = /^\p{Mark}+$/u;

/** Columns that text takes on a terminal; colour codes take none. */
export function columnsOf(text: string): number {
  const bare = text.replace(COLOUR_CODES, '');
  if (ASCII.test(bare)) return bare.length;
  let columns = 0;
  for (const { segment } of graphemes().segment(bare)) columns += graphemeColumns(segment);
  return columns;
}

/** Uncoloured text cut to at most `columns` columns, with `…` where something is missing. Never splits what a person sees as one character. */
export function cut(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes().segment(text)) {
    used += graphemeColumns(segment);
    if (used > columns - 1) break;
    kept += segment;
  }
  return columns < 1 ? '' : `${kept}…`;
}

/** The same, keeping the end: of a path or a job's name the end says most. */
export function cutStart(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of [...graphemes().segment(text)].reverse()) {
    used += graphemeColumns(segment);
    if (used > columns - 1) break;
    kept = segment + kept;
  }
  return columns < 1 ? '' : `…${kept}`;
}

/** Rows that lines take on a terminal of so many columns, which breaks what does not fit; 0 columns: nobody knows. */
export function rowsOf(lines: readonly string[], columns: number): number {
  if (columns <= 0) return lines.length;
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(columnsOf(line) / columns)), 0);
}

/** Text filled up with blanks to `columns` columns; longer text stays. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)));
}

function graphemeColumns(segment: string): number {
  if (COMBINING.test(segment)) return 0;
  return WIDE.test(segment) || EMOJI.test(segment) ? 2 : 1;
}
