import { withoutBuildCommands } from '../../domain/hostile-text.ts';
import { columnsOf } from './width.ts';

/**
 * Text as lines of at most `columns` columns, all of it: broken at blanks, and where there are none (a path, Chinese) between characters.
 * No line can command the log of a build, whatever it begins with.
 */
export function folded(text: string, columns: number): string[] {
  if (columnsOf(text) <= columns) return [withoutBuildCommands(text)];
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const word of text.split(/( +)/)) {
    const width = columnsOf(word);
    if (used + width <= columns) {
      line += word;
      used += width;
      continue;
    }
    if (line.trim() !== '') lines.push(line.trimEnd());
    const pieces = word.trim() === '' ? [''] : broken(word, columns);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? '';
    used = columnsOf(line);
  }
  return [...lines, ...(line.trim() === '' ? [] : [line.trimEnd()])].map(withoutBuildCommands);
}

/** A word in pieces of at most `columns` columns, one code point at least. */
function broken(word: string, columns: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const character of word) {
    const width = columnsOf(character);
    if (piece !== '' && used + width > columns) {
      pieces.push(piece);
      piece = '';
      used = 0;
    }
    piece += character;
    used += width;
  }
  return [...pieces, piece];
}
