import { expect, test } from 'vitest';
import { seekQuotes } from '../../src/checks/seek-quotes.ts';
import { canonicalText } from '../evidence/canonical.ts';

const DOCUMENT = canonicalText(
  'The pump starts with-\nin two seconds after power returns.\nA ladder must be inspected before every shift.',
);

test('quotes that a document has are found in it, up to layout, and no others', () => {
  const [laidOut, literal, altered, foreign] = [
    'The pump starts within two seconds after power returns.',
    'A ladder must be inspected before every shift.',
    'A ladder must be inspected after every shift.',
    'Nobody wrote this sentence anywhere.',
  ];
  expect(seekQuotes({ document: DOCUMENT, quotes: [laidOut ?? '', altered ?? '', literal ?? '', foreign ?? ''] })).toEqual([
    laidOut,
    literal,
  ]);
});

test('a quote without a word is looked up all the same', () => {
  expect(seekQuotes({ document: canonicalText('a b c d e f g h i j k l'), quotes: ['b c d e f g', 'x y z'] })).toEqual(['b c d e f g']);
});
