import { pick } from './random.ts';

/** What copying, typesetting and models do to a quote without changing what it says. */
export type Noise = { readonly name: string; readonly apply: (text: string, random: () => number) => string };

const TYPOGRAPHIC_SPACES = ['\u00a0', '\u2009', '\u2002', '\u3000'];

/** Replaces each match, or not, by a throw of the dice. */
function some(pattern: RegExp, share: number, replace: (match: string, random: () => number) => string): Noise['apply'] {
  return (text, random) => text.replace(pattern, (match) => (random() < share ? replace(match, random) : match));
}

// biome-ignore format: one noise a line
export const NOISES: readonly Noise[] = [
  { name: 'line breaks', apply: some(/ /g, 0.2, () => '\n') },
  { name: 'indented lines', apply: some(/ /g, 0.15, () => '\n    ') },
  { name: 'CRLF', apply: some(/ /g, 0.15, () => '\r\n') },
  { name: 'double spaces', apply: some(/ /g, 0.3, () => '  ') },
  { name: 'typographic spaces', apply: some(/ /g, 0.3, (_, random) => pick(TYPOGRAPHIC_SPACES, random) ?? ' ') },
  { name: 'words divided at line ends', apply: some(/\b[a-z]{7,}\b/g, 0.3, (word, random) => divided(word, random)) },
  { name: 'soft hyphens', apply: some(/\b[a-z]{7,}\b/g, 0.3, (word) => `${word.slice(0, 3)}\u00ad${word.slice(3)}`) },
  { name: 'ligatures', apply: some(/ffi|ffl|ff|fi|fl/g, 0.8, (letters) => LIGATURES.get(letters) ?? letters) },
  { name: 'curly apostrophes', apply: some(/'/g, 0.9, () => '\u2019') },
  { name: 'curly quotation marks', apply: some(/"/g, 0.9, () => '\u201c') },
  { name: 'no-break hyphens', apply: some(/(?<=[a-z])-(?=[a-z])/g, 0.8, () => '\u2011') },
  { name: 'invisible characters', apply: some(/(?<=[a-z]) /g, 0.2, () => '\u200b ') },
  { name: 'no full stop', apply: (text) => text.replace(/\.$/, '') },
  { name: 'quotation marks around it', apply: (text) => `\u201c${text}\u201d` },
  { name: 'a small first letter', apply: (text) => text.replace(/^[A-Z](?=[a-z]+ )/, (letter) => letter.toLowerCase()) },
  { name: 'a comma for the full stop', apply: (text) => text.replace(/\.$/, ',') },
  { name: 'composed letters taken apart', apply: (text) => text.normalize('NFD') },
];

const LIGATURES: ReadonlyMap<string, string> = new Map([
  ['ff', '\ufb00'],
  ['fi', '\ufb01'],
  ['fl', '\ufb02'],
  ['ffi', '\ufb03'],
  ['ffl', '\ufb04'],
]);

function divided(word: string, random: () => number): string {
  const at = 3 + Math.floor(random() * (word.length - 5));
  return `${word.slice(0, at)}-\n${word.slice(at)}`;
}
