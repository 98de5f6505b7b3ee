import type { Span } from '../../domain/document.ts';
import { withoutBuildCommands } from '../../domain/hostile-text.ts';
import type { Finding } from '../../domain/score.ts';
import { manyLines } from '../terminal/many-lines.ts';
import { type Colour, painter } from '../terminal/style.ts';

/** A stretch of a document's text, and the colour of what the quote of it is worth. */
export type Mark = Span & { readonly colour: Colour };

/** Worst first. */
const COLOURS: readonly Colour[] = ['red', 'yellow', 'green'];

/**
 * Stand for marks until the lines are broken: one column wide, and no character of any text. The first of `OPEN` is red, as in `COLOURS`.
 */
const OPEN: readonly string[] = ['\ufdd0', '\ufdd1', '\ufdd2'];
const CLOSE = '\ufdd3';
const ANY_MARK = /[\ufdd0-\ufdd3]/g;

/** Where a quote stands: its parts, where it has several. */
export function spansOf({ evidence: { position, spans = [] } }: Finding): readonly Span[] {
  if (spans.length > 0) return spans;
  return position === null ? [] : [position];
}

/** Colour of the worst of the marks; `null` without one. */
export function worstColour(marks: readonly Mark[]): Colour | null {
  return COLOURS.find((colour) => marks.some((mark) => mark.colour === colour)) ?? null;
}

/** One line of a text, harmless to a terminal, with its marks still to be painted. Where marks overlap, the worst is seen. */
export function markedText(text: string, line: Span, marks: readonly Mark[]): string {
  const edges = [line.start, line.end, ...marks.flatMap(({ start, end }) => [start, end])]
    .filter((edge) => edge >= line.start && edge <= line.end)
    .sort((a, b) => a - b);
  let marked = '';
  let open: Colour | null = null;
  for (const [index, start] of edges.entries()) {
    const end = edges[index + 1] ?? start;
    const colour = worstColour(marks.filter((mark) => mark.start < end && start < mark.end));
    const piece = manyLines(
      text
        .slice(start, end)
        .replace(/[\r\n\f]+/g, '')
        .replace(ANY_MARK, '\ufffd'),
    );
    if (piece === '') continue;
    if (colour !== open) {
      marked += `${open === null ? '' : CLOSE}${colour === null ? '' : OPEN[COLOURS.indexOf(colour)]}`;
      open = colour;
    }
    marked += piece;
  }
  return withoutBuildCommands(`${marked}${open === null ? '' : CLOSE}`);
}

/** The marks as colours, or as `»…«` where there are none. */
export function paintedMarks(line: string, colour: boolean): string {
  if (!colour) return line.replace(ANY_MARK, (mark) => (mark === CLOSE ? '«' : '»'));
  return line.replace(ANY_MARK, (mark) => CODES.get(mark) ?? '');
}

const BETWEEN = '\n';
/** Codes of a terminal, by mark. */
const CODES: ReadonlyMap<string, string> = new Map(
  COLOURS.flatMap((colour, index) => {
    const [on = '', off = ''] = painter(true)(colour, BETWEEN).split(BETWEEN);
    return [
      [OPEN[index] ?? '', on],
      [CLOSE, off],
    ] as const;
  }),
);
