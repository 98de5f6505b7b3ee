export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Paints text, or returns it as it is where colour is off. */
export type Paint = (colour: Colour, text: string) => string;

const CODES: Record<Colour, readonly [on: number, off: number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

/** A `Paint` for a stream. Two lines instead of `util.styleText`, which on newer Nodes asks the process about its streams itself. */
export function painter(colour: boolean): Paint {
  if (!colour) return (_, text) => text;
  return (name, text) => `\u001b[${CODES[name][0]}m${text}\u001b[${CODES[name][1]}m`;
}
