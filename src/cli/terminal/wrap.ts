import { columnsOf, cut } from './width.ts';

const BLANKS = /( +)/;

/** Text as lines of at most `columns` columns, broken at blanks; those after the first are indented. A longer word is cut. */
export function wrapped(text: string, columns: number, indent = 3): string[] {
  return brokenAtBlanks(text, columns, indent).map((line) => cut(line, columns));
}

/** The same with a longer word whole, such as a path that somebody copies. */
export function brokenAtBlanks(text: string, columns: number, indent: number): string[] {
  const [first = '', ...rest] = text.trimStart().split(BLANKS);
  const lines = [`${text.slice(0, text.length - text.trimStart().length)}${first}`];
  for (let at = 0; at + 1 < rest.length; at += 2) {
    const [gap = '', word = ''] = rest.slice(at, at + 2);
    const longer = `${lines.at(-1)}${gap}${word}`;
    if (columnsOf(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(`${' '.repeat(indent)}${word}`);
  }
  return lines;
}
