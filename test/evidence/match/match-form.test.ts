import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { markdownMarks } from '../../../src/evidence/match/markdown-marks.ts';
import { squeeze } from '../../../src/evidence/match/match-form.ts';

describe('the match form', () => {
  test.each([
    ['drops white space', 'a b\n\tc\u00a0d', 'abcd'],
    ['keeps one space between numbers', '1  2\n3', '1 2 3'],
    ['keeps a number apart from the next sentence', 'of 5. 7 are', 'of5. 7are'],
    ['joins a number that a narrow space groups', '15\u202f872 x', '15872x'],
    ['joins a word over a line end', 'com-\npile', 'compile'],
    ['joins a compound, also a torn one', 'non-human non- human', 'nonhumannonhuman'],
    ['keeps a hyphen that stands free', 'word - word and -x', 'word-wordand-x'],
    ['keeps a hyphen beside a digit', 'type-2 or 64-\nbit or -5', 'type-2or64-bitor-5'],
    ['makes one hyphen of long dashes', 'a\u2014b --- c', 'a-b-c'],
    ['joins an en dash as a hyphen', 'Navier\u2013Stokes', 'NavierStokes'],
    ['drops a soft hyphen in a word', 'sup\u00adport\u00ad, x', 'support,x'],
    ['reads a soft hyphen in a part number', '01\u00ad2301', '01-2301'],
    ['writes quotation marks one way', "\u201ca\u201d ``b'' \u00abc\u00bb", "'a''b''c'"],
    ['keeps feet and inches apart', '5\' and 5"', '5\'and5"'],
    ['spells out ligatures, the ellipsis and micro', '\ufb03 x\u2026 \u00b5s', 'ffix...\u03bcs'],
    ['drops what cannot be seen', 'a\u200bb\u200dc\ufe0fd\u0000e\ufeff', 'abcde'],
    ['keeps case, punctuation and superscripts', 'X\u00b2, (y); Z!', 'X\u00b2,(y);Z!'],
  ])('%s', (_, source, form) => {
    expect(squeeze(source, null).text).toBe(form);
  });

  test('maps every character back to one that gave it, in order', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (source) => {
        const { text, map } = squeeze(source, null);
        expect(map.length).toBe(text.length);
        for (let i = 1; i < map.length; i += 1) expect(map[i]).toBeGreaterThanOrEqual(map[i - 1] ?? 0);
        for (const offset of map) expect(offset).toBeLessThan(source.length);
      }),
    );
  });

  test('is the same for the same words wherever they stand', () => {
    const words = fc.array(fc.constantFrom('alpha', 'b-c', 'd-\ne', '12', '3.5', '-7', '"x"', 'o\u2019p', 'and-', 'q.'), { minLength: 1 });
    fc.assert(
      fc.property(words, (list) => {
        const quote = `x ${list.join(' ')} y`;
        expect(squeeze(`Some text ${quote} more`, null).text).toContain(squeeze(quote, null).text);
      }),
    );
  });
});

describe('marks of Markdown', () => {
  const seen = (text: string) => {
    const marks = markdownMarks(text);
    return Array.from({ length: text.length }, (_, i) => (marks?.[i] === 1 ? '' : text[i])).join('');
  };

  test.each([
    ['code and emphasis go', 'a `b` **c** *d* __e__ ***f***', 'a b c d e f'],
    ['marks inside code stay', '`__init__` and ``a`b``', '__init__ and a`b'],
    ['a fence goes, its marks stay', '```\nint *p, *q;\n\n*x\n```\n*y*', '\nint *p, *q;\n\n*x\n\ny'],
    ['stars and underscores without a partner stay', 'int *p; a_b; 2 * 3 * 4', 'int *p; a_b; 2 * 3 * 4'],
    ['list items stay', '* one\n* two', '* one\n* two'],
    ['emphasis ends with its paragraph', '*a\n\nb*', '*a\n\nb*'],
    ['an escape loses its backslash', '\\*a\\* b\\_c', '*a* b_c'],
  ])('%s', (_, text, expected) => {
    expect(seen(text)).toBe(expected);
  });

  test('a text without any has none', () => {
    expect(markdownMarks('plain text')).toBeNull();
  });
});
