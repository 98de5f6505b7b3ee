import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countHiddenCharacters, normaliseCharacters, trimTrailingBlanks } from '../../src/documents/normalise.ts';

/** Text with many characters that the tables speak of. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...'e\u0301\u200b\ufb05\u030c\u00a0\u202f\u0007\u00ad\u2126\u212b\u{e0041}\u{e0101}\ufe0f\u0323\ud800\u1100\u1161'),
    ),
  )
  .map((parts) => parts.join(''));

test('normalising twice is normalising once', () => {
  fc.assert(fc.property(hostileText, (text) => normaliseCharacters(normaliseCharacters(text)) === normaliseCharacters(text)));
});

test('the result is in NFC', () => {
  fc.assert(fc.property(hostileText, (text) => normaliseCharacters(text) === normaliseCharacters(text).normalize('NFC')));
});

test.each([
  ['compatibility characters keep their meaning', '2⁵ x² 10⁻⁷ ½ ① ℝ 𝑥 H₂O ㎓ ™', '2⁵ x² 10⁻⁷ ½ ① ℝ 𝑥 H₂O ㎓ ™'],
  ['all Latin ligatures are spelled out', '\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06', 'fffiflffifflstst'],
  ['a long s that is no ligature stays', 'Wa\u017f\u017fer', 'Wa\u017f\u017fer'],
  ['accents are composed, also over a deleted character', 'e\u0301 e\u200b\u0301', 'é é'],
  ['no-break and other spaces become plain', 'a\u00a0b\u2003c\u3000d', 'a b c d'],
  ['the thin space inside numbers stays', '10\u202f000', '10\u202f000'],
  [
    'soft hyphens, joiners and variation selectors stay',
    '01\u00ad23 می\u200cخواهم 👩\u200d🔬 ❤\ufe0f',
    '01\u00ad23 می\u200cخواهم 👩\u200d🔬 ❤\ufe0f',
  ],
  ['control, bidirectional and tag characters go', 'a\u0000\u0085b\u202ec\u2066d\ufeff\u{e0068}e', 'abcde'],
  ['fillers and operators without a look go', 'a\u3164b\u2062c\u034fd', 'abcd'],
  ['of several variation selectors the first stays', '\u845b\u{e0100}\u{e0101}\u{e0102} ❤\ufe0f\ufe0e', '\u845b\u{e0100} ❤\ufe0f'],
  ['tabs stay', 'a\tb', 'a\tb'],
  ['lone surrogates become U+FFFD', 'a\ud835b', 'a\ufffdb'],
])('%s', (_, text, expected) => {
  expect(normaliseCharacters(text)).toBe(expected);
});

test('bidirectional and tag characters are counted, other deleted ones are not', () => {
  expect(countHiddenCharacters('a\u202eb\u{e0041}\u{e007f}c\u200b\u0007')).toBe(3);
});

test('a letter with a million marks keeps as many as any script needs, in no time', () => {
  const text = `a${'\u0301\u0323'.repeat(500_000)}`;
  expect(normaliseCharacters(text).length).toBeLessThan(70);
  expect(countHiddenCharacters(text)).toBe(1_000_000 - 64);
});

test('only blanks at the end are trimmed', () => {
  expect(trimTrailingBlanks(' a \tb\t  ')).toBe(' a \tb');
});
