import { folded } from './fold.ts';
import { columnsOf } from './width.ts';

const DEEPER = 2;

/**
 * Lines of at most `columns` columns, all of what they say: one that is longer goes on below, a little deeper than it began, or at `indent`.
 */
export function hanging(lines: readonly string[], columns: number, indent?: number): string[] {
  return lines.flatMap((line) => (columnsOf(line) <= columns ? [line] : hung(line, columns, indent)));
}

function hung(line: string, columns: number, indent?: number): string[] {
  const text = line.trimStart();
  const before = line.length - text.length;
  const blanks = Math.min(indent ?? before + DEEPER, Math.floor(columns / 2));
  // Blanks at the front would count as a place to break at.
  const [first = ''] = folded(text, columns - before);
  const rest = text.slice(first.length).trimStart();
  const more = rest === '' ? [] : folded(rest, columns - blanks);
  return [`${line.slice(0, before)}${first}`, ...more.map((each) => `${' '.repeat(blanks)}${each}`)];
}
