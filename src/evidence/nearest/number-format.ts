import type { Pair } from './alignment.ts';
import type { Token } from './tokens.ts';

/** Superscript and subscript signs, and the plain ones. */
const RAISED =
  '\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207a\u207b\u2080\u2081\u2082\u2083\u2084\u2085\u2086\u2087\u2088\u2089\u208a\u208b';
const PLAIN = '0123456789+-0123456789+-';
const HINT = '(number format)';
const LONGEST = 40;

/**
 * The difference `10-8 → 10^-8 (number format)` when both sides of it are the same but for how exponents and indices are written, as far as
 * no white space parts them; else `null`. A flat text does not say which of the two it means.
 */
export function isSameFlat(
  document: string,
  quote: string,
  pairs: readonly Pair[],
  [start, end]: readonly [number, number],
): string | null {
  const theirs = glued(
    document,
    pairs.map((pair) => pair.document),
    start,
    end,
  );
  const ours = glued(
    quote,
    pairs.map((pair) => pair.quote),
    start,
    end,
  );
  if (theirs === ours || !/\p{N}/u.test(ours) || flat(theirs) !== flat(ours)) return null;
  return `${theirs} → ${ours} ${HINT}`;
}

/** The source from the first to the last token of a run, with all that hangs on them without white space. */
function glued(text: string, tokens: readonly (Token | null)[], start: number, end: number): string {
  const run = tokens.slice(start, end).filter((token) => token !== null);
  const from = run[0]?.start ?? tokens[start - 1]?.end ?? 0;
  const to = run.at(-1)?.end ?? from;
  const before = /\S{0,20}$/.exec(text.slice(Math.max(0, from - LONGEST), from))?.[0] ?? '';
  const after = /^\S{0,20}/.exec(text.slice(to, to + LONGEST))?.[0] ?? '';
  return (before + text.slice(from, to) + after).replace(/^[("'\u2018\u201c]+|[.,;:)"'\u2019\u201d]+$/g, '');
}

function flat(text: string): string {
  return Array.from(text.replace(/[\^_{}]/g, '').replace(/[\u2010-\u2015\u2212]/g, '-'), (character) => {
    const at = RAISED.indexOf(character);
    return at === -1 ? character : PLAIN.charAt(at);
  }).join('');
}
