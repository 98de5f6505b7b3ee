import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEvidenceIndex } from '../../src/evidence/evidence-index.ts';
import { verifyQuote } from '../../src/evidence/verify-quote.ts';
import { canonicalText } from './canonical.ts';

const SENTENCES = [
  'The arbiter must not grant two requests within 16 cycles of each other.',
  'A writer should release the lock before it enters the idle state 3 of the table.',
  'Firmware may read the status register at offset 1044 without any side effect.',
  'When the counter reaches 65535 it does not wrap but signals an overflow.',
  'Each of the 48 lanes shall carry at least 2.5 gigabits in normal operation.',
  'No descriptor is valid unless its owner field was written after the reset.',
  'The final specification describes the "fail-safe" mode, which cannot be disabled.',
  'Interrupts are delivered in order of priority and never before the barrier of phase 7.',
  'The rail may be driven from -40 mV up to ± 25 mV while registers A-D are held at < 12 kB of 3 x 10^6 words.',
  'A reset of all lanes, e.g. by the watchdog of the U.S.A. release, clears the counter of late frames, i.e. it begins anew.',
  'A core in the VDD-VSS domain can be woken by the --force flag within 15 ms or 8 – 9 % of $ 300 a year.',
];

const DOCUMENT = SENTENCES.join(' ').replaceAll('specification', 'specifi-\ncation').replaceAll('delivered in', 'delivered\nin');
const INDEX = createEvidenceIndex(canonicalText(DOCUMENT));

const sentence = fc.constantFrom(...SENTENCES);
const MODAL = /\b(?:must|should|may|shall|can)\b/g;
const seed = fc.infiniteStream(fc.nat({ max: 99 }));

/** Replaces some matches: the stream decides which, in `percent` of the cases. */
function sometimes(text: string, pattern: RegExp, percent: number, stream: Iterator<number>, replace: (match: string) => string): string {
  return text.replace(pattern, (match) => ((stream.next().value ?? 0) < percent ? replace(match) : match));
}

/** Replaces the n-th match, counted round; `null` when there is none. */
function once(text: string, pattern: RegExp, n: number, replace: (match: string) => string): string | null {
  const matches = [...text.matchAll(pattern)];
  const match = matches[n % Math.max(1, matches.length)];
  if (match === undefined) return null;
  return text.slice(0, match.index) + replace(match[0]) + text.slice(match.index + match[0].length);
}

describe('layout noise is always verified', () => {
  test.each<[string, RegExp, (match: string) => string]>([
    ['line breaks', / /g, () => '\n'],
    ['double spaces', / /g, () => '  '],
    ['no-break spaces', / /g, () => '\u00a0'],
    ['tabs and indented lines', / /g, () => '\n\t  '],
    ['soft hyphens', /(?<=[a-z]{2})(?=[a-z]{2})/g, () => '\u00ad'],
    ['hyphens at line ends', /(?<=[a-z]{3})(?=[a-z]{3})/g, () => '-\n'],
    ['zero-width spaces', /(?<=[a-z])(?= )/g, () => '\u200b'],
    ['curly quotation marks', /"/g, () => '\u201d'],
    ['ligatures', /fi|ff/g, (match) => (match === 'fi' ? '\ufb01' : '\ufb00')],
    ['lost full stops', /\.$/g, () => ''],
  ])('%s', (_, pattern, replace) => {
    fc.assert(
      fc.property(sentence, seed, (original, stream) => {
        const quote = sometimes(original, pattern, 40, stream[Symbol.iterator](), replace);
        expect(verifyQuote(INDEX, quote, { minChars: 12 })).toMatchObject({ status: 'verified', occurrences: 1 });
      }),
    );
  });
});

describe('an altered quote is never verified', () => {
  test.each<[string, RegExp, (match: string) => string]>([
    ['a changed digit', /\d/g, (digit) => String((Number(digit) + 3) % 10)],
    ['a dropped digit', /\d/g, () => ''],
    ['an added digit', /\d/g, (digit) => `${digit}0`],
    ['a split number', /\d(?=\d)/g, (digit) => `${digit} `],
    ['a dropped negation', / (?:not|never)\b/g, () => ''],
    ['an added negation', /\b(?:is|are|must|should|may|shall|reaches)\b/g, (word) => `${word} not`],
    ['a joined negation', /\b(?:not|never|no|No|cannot) (?=\w)/g, (word) => word.trim()],
    ['another modal', MODAL, (word) => (word === 'must' ? 'should' : 'must')],
    ['a shouted modal', /\b(?:must|should|may|shall|can|not)\b/g, (word) => word.toUpperCase()],
    ['a modal joined to the word behind it', /\b(?:must|should|may|shall|can) (?=\w)/g, (word) => word.trim()],
    ['a modal joined to the word before it', / (?=(?:must|should|may|shall|can)\b)/g, () => ''],
    ['a modal torn apart', MODAL, (word) => `${word.slice(0, 2)} ${word.slice(2)}`],
    ['another unit', /\b(?:mV|kB|ms)\b/g, (unit) => (unit === 'ms' ? 's' : 'V')],
    ['the case of a unit', /\b(?:mV|kB|ms)\b/g, (unit) => unit.toUpperCase()],
    ['a dropped unit', / (?:mV|kB|ms|%)(?= )/g, () => ''],
    ['a torn unit', /\b(?:mV|kB|ms)\b/g, (unit) => unit.split('').join(' ')],
    ['a dropped sign', /[-±<$–] ?(?=\d)/g, () => ''],
    ['another sign', /[-±<$–] ?(?=\d)/g, (sign) => (sign.startsWith('-') ? '+' : '-')],
    ['an added sign', /(?<= )(?=\d)/g, () => '-'],
    ['a sign set apart', /-(?=\d)/g, () => '- '],
    ['a dropped hyphen of a name', /(?<=[A-Z])-(?=[A-Z])/g, () => ''],
    ['a space for the hyphen of a name', /(?<=[A-Z])-(?=[A-Z])/g, () => ' '],
    ['a dash less', /--(?=\w)/g, () => '-'],
    ['another exponent', /\^6/g, () => '6'],
    ['a dropped word', /(?<=\w )\w+ (?=\w)/g, () => ''],
    ['two words swapped', /(?<= )(\w+) (\w+)(?= )/g, (pair) => pair.split(' ').reverse().join(' ')],
    ['another word', /\b[a-z]{5,}\b/g, () => 'quartz'],
    ['a letter off the end', /(?<=[a-z])[a-z]\.$/g, () => ''],
    ['a beginning behind a sign', /^.*?[-±<$–x^] ?(?=\d)/g, () => ''],
    ['a beginning in a number', /^.*?\d(?=\d)/g, () => ''],
    ['an end in an abbreviation', /(?<=\b[A-Za-z]\.)[A-Za-z]\..*$/g, () => ''],
    ['an end behind the first letter of an abbreviation', /(?<=\b[a-z])\.[a-z]\..*$/g, () => ''],
    ['a beginning in an abbreviation', /^.*?\b[A-Za-z]\.(?=[A-Za-z]\.)/g, () => ''],
    ['an end in a number', /(?<=\d)\d.*$/g, () => ''],
    ['an end before a unit or the rest of a number', /(?<=\d)(?: ?(?:mV|kB|ms|%|x|–|\^)).*$/g, () => ''],
    ['a beginning behind a negation', /^.*?\b(?:not|never|cannot) /g, () => ''],
    ['an end before a negation', / (?:not|never)\b.*$/g, () => ''],
  ])('%s', (_, pattern, replace) => {
    const open = SENTENCES.filter((original) => once(original, pattern, 0, replace) !== null);
    fc.assert(
      fc.property(fc.constantFrom(...open), fc.nat(), (original, n) => {
        const quote = once(original, pattern, n, replace);
        fc.pre(quote !== null && quote !== original);
        const evidence = verifyQuote(INDEX, quote ?? '', { minChars: 3 });
        expect({ quote, status: evidence.status }).toEqual({ quote, status: 'rejected' });
      }),
    );
  });

  test('whatever a quote is made of, it is judged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (quote) => {
        expect(['verified', 'rejected']).toContain(verifyQuote(INDEX, quote, { minChars: 0 }).status);
      }),
    );
  });

  test('what is verified is in the document up to layout', () => {
    const spans = fc.tuple(fc.nat({ max: DOCUMENT.length }), fc.integer({ min: 12, max: 120 }));
    fc.assert(
      fc.property(spans, ([start, length]) => {
        const quote = DOCUMENT.slice(start, start + length);
        const evidence = verifyQuote(INDEX, quote, { minChars: 12 });
        fc.pre(evidence.status === 'verified');
        expect(evidence.text?.replace(/\W/g, '')).toBe(quote.replace(/\W/g, ''));
        expect(DOCUMENT.slice(evidence.position?.start, evidence.position?.end)).toBe(evidence.text);
      }),
    );
  });
});
