import { HYPHEN_CLASS } from '../match/characters.ts';
import { squeeze } from '../match/match-form.ts';

const SHORTEST_WORD = 5;
/** From this length on two letters may differ. */
const LONG_WORD = 9;
/** Beginnings that make another word of the same stem. */
const PREFIXES = (
  'un in im il ir a an dis de non mis anti re pre pro post inter intra inner hyper hypo super sub macro micro over under up down e ex en ' +
  'endo exo ab ad bi di tri mono poly homo hetero iso co contra counter extra out per trans ultra infra'
).split(' ');

const HYPHENS = new RegExp(`${HYPHEN_CLASS}(?!\\s)`, 'u');

/** Whether two words differ as a slip of the pen does: one letter, two in a long word, and not in the prefix; of a compound, in each half. */
export function isMisspelling(document: string, quote: string): boolean {
  const [theirs, ours] = [halvesOf(document), halvesOf(quote)];
  return theirs.length === ours.length && theirs.every((half, i) => half === ours[i] || isSlip(half, ours[i] ?? ''));
}

/** The halves of a compound, in the match form; a hyphen at a line end may be the layout's. */
function halvesOf(word: string): string[] {
  return word.split(HYPHENS).map((half) => squeeze(half, null).text.toLowerCase());
}

function isSlip(document: string, quote: string): boolean {
  if (![document, quote].every((word) => word.length >= SHORTEST_WORD && /^\p{L}+$/u.test(word))) return false;
  const most = Math.min(document.length, quote.length) >= LONG_WORD ? 2 : 1;
  return document[0] === quote[0] && editsUpTo(document, quote, most) && !isPrefixFlip(document, quote);
}

function isPrefixFlip(a: string, b: string): boolean {
  return restsOf(a).some((rest) => restsOf(b).includes(rest));
}

function restsOf(word: string): string[] {
  const rests = PREFIXES.filter((prefix) => word.startsWith(prefix)).map((prefix) => word.slice(prefix.length));
  return [...rests, word].filter((rest) => rest.length > 2);
}

/** Whether at most `most` letters must be added, dropped or replaced. Words are short: the whole table is made row by row. */
function editsUpTo(a: string, b: string, most: number): boolean {
  if (Math.abs(a.length - b.length) > most) return false;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return (row[b.length] ?? Number.POSITIVE_INFINITY) <= most;
}
