import { pick } from './random.ts';

/** What changes what a quote says. `null`: nothing in this text can be changed so. The word lists are this test's own. */
export type Alteration = {
  readonly name: string;
  readonly apply: (text: string, random: () => number, others: readonly string[]) => string | null;
};

/** Replaces one match, which the dice choose. */
function one(pattern: RegExp, replace: (match: string, random: () => number) => string): Alteration['apply'] {
  return (text, random) => {
    const match = pick([...text.matchAll(pattern)], random);
    if (match === undefined) return null;
    return text.slice(0, match.index) + replace(match[0], random) + text.slice(match.index + match[0].length);
  };
}

const OBLIGATIONS = ['must', 'shall', 'should', 'may', 'can', 'will', 'might', 'could'];
const OPPOSITES: readonly (readonly [string, string])[] = [
  ['before', 'after'],
  ['above', 'below'],
  ['first', 'last'],
  ['all', 'some'],
  ['every', 'no'],
  ['each', 'no'],
  ['least', 'most'],
  ['more', 'less'],
  ['higher', 'lower'],
  ['larger', 'smaller'],
  ['longer', 'shorter'],
  ['always', 'never'],
  ['both', 'neither'],
  ['enabled', 'disabled'],
  ['set', 'cleared'],
  ['rising', 'falling'],
  ['read', 'write'],
  ['high', 'low'],
  ['minimum', 'maximum'],
  ['true', 'false'],
  ['within', 'beyond'],
  ['with', 'without'],
  ['only', 'also'],
  ['until', 'unless'],
  ['if', 'unless'],
  ['and', 'or'],
]; // prettier-ignore
const UNITS = [
  'ms',
  's',
  'us',
  'ns',
  'mV',
  'V',
  'kHz',
  'MHz',
  'Hz',
  'kB',
  'MB',
  'GB',
  '%',
  '°C',
  'bits',
  'bytes',
  'seconds',
  'minutes',
  'hours',
  'days',
];
const STRANGERS = ['lantern', 'quartz', 'harvest', 'violin', 'glacier', 'saffron', 'meadow', 'pebble'];

const word = (words: readonly string[]) => new RegExp(`(?<![\\w-])(?:${words.join('|')})(?![\\w-])`, 'g');
const unit = new RegExp(`(?<=\\d ?)(?:${UNITS.join('|')})(?![\\w°])`, 'g');

function another(words: readonly string[], than: string, random: () => number): string {
  return (
    pick(
      words.filter((each) => each !== than),
      random,
    ) ?? than
  );
}

function opposite(match: string): string {
  const pair = OPPOSITES.find((each) => each.includes(match));
  return pair === undefined ? match : pair[0] === match ? pair[1] : pair[0];
}

/** From the n-th word of one to the m-th of another, without a mark between. */
function spliced(text: string, random: () => number, others: readonly string[]): string | null {
  const other = pick(others, random);
  const [head, tail] = [text.split(' '), other?.split(' ') ?? []];
  if (other === text || head.length < 8 || tail.length < 8) return null;
  return [...head.slice(0, Math.floor(head.length / 2)), ...tail.slice(Math.ceil(tail.length / 2))].join(' ');
}

// biome-ignore format: one alteration a line
export const ALTERATIONS: readonly Alteration[] = [
  { name: 'another digit', apply: one(/\d/g, (digit, random) => another([...'0123456789'], digit, random)) },
  { name: 'a digit dropped', apply: one(/\d/g, () => '') },
  { name: 'a digit added', apply: one(/\d/g, (digit, random) => `${digit}${Math.floor(random() * 10)}`) },
  { name: 'a decimal point moved', apply: one(/\d\.\d/g, (match) => `${match[0]}${match[2]}.`) },
  { name: 'another unit', apply: one(unit, (match, random) => another(UNITS, match, random)) },
  { name: 'a unit dropped', apply: one(new RegExp(` (?:${UNITS.join('|')})(?= )`, 'g'), () => '') },
  { name: 'a sign added', apply: one(/(?<= )(?=\d)/g, (_, random) => pick(['-', '+', '<', '>', '±', '~'], random) ?? '-') },
  { name: 'not added', apply: one(word([...OBLIGATIONS, 'is', 'are', 'was', 'were', 'has', 'does']), (match) => `${match} not`) },
  { name: 'a negation dropped', apply: one(/ (?:not|never|no|without|cannot)(?= )/g, () => '') },
  { name: 'another obligation', apply: one(word(OBLIGATIONS), (match, random) => another(OBLIGATIONS, match, random)) },
  { name: 'an obligation in capitals', apply: one(word(OBLIGATIONS), (match) => match.toUpperCase()) },
  { name: 'the opposite word', apply: one(word(OPPOSITES.flat()), opposite) },
  { name: 'a word dropped', apply: one(/(?<=\w )[A-Za-z]+ (?=\w)/g, () => '') },
  { name: 'two words swapped', apply: one(/(?<= )([A-Za-z]+) ([A-Za-z]+)(?= )/g, (match) => match.split(' ').reverse().join(' ')) },
  { name: 'a stranger for a word', apply: one(/\b[a-z]{4,}\b/g, (_, random) => pick(STRANGERS, random) ?? '') },
  { name: 'a stranger put in', apply: one(/ /g, (_, random) => ` ${pick(STRANGERS, random) ?? ''} `) },
  { name: 'a prefix that turns the word', apply: one(/(?<= )(?:valid|known|safe|used|able|stable|possible|complete|active|equal|read|written|marked|protected|reliable)\b/g, (match, random) => `${pick(['un', 'in', 'non', 'dis'], random) ?? 'un'}${match}`) },
  { name: 'spliced', apply: spliced },
  { name: 'the end of another glued on', apply: (text, random, others) => `${text.replace(/\.$/, '')} ${(pick(others, random) ?? '').split(' ').slice(-5).join(' ')}` },
  { name: 'its parts in another order', apply: (text) => (text.includes(', ') ? text.replace(/^(.*?), (.*)\.$/, '$2, $1.') : null) },
  { name: 'begun behind the negation', apply: (text) => / not /.test(text) ? text.slice(text.indexOf(' not ') + 5) : null },
  { name: 'begun inside a number', apply: (text) => /\d\d/.exec(text) === null ? null : text.slice((/\d\d/.exec(text)?.index ?? 0) + 1) },
  { name: 'ended inside a number', apply: (text) => /\d\d/.exec(text) === null ? null : text.slice(0, (/\d(?=\d)/.exec(text)?.index ?? 0) + 1) },
  { name: 'a negation hidden by an ellipsis', apply: (text) => (/(?:\S+ ){3}(?:not|never|no|without) (?:\S+ ?){3}/.test(text) ? text.replace(/ (?:not|never|no|without) /, ' … ') : null) },
  { name: 'an obligation hidden by an ellipsis', apply: (text) => (/^(?:\S+ ){3,}(?:must|shall|should|may) (?:\S+ ){2,}\S+$/.test(text) ? text.replace(/ (?:must|shall|should|may) /, ' ... ') : null) },
];
