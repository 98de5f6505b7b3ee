import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quantiles } from '../../../src/report/page/charts/figures.ts';
import { compareWords } from '../../../src/report/page/logic/compare.ts';
import { artifactHref } from '../../../src/report/page/logic/link.ts';

describe('compareWords', () => {
  test('marks the words that differ on either side', () => {
    expect(compareWords('wait 1032 ms before', 'wait 1023 ms before it')).toEqual({
      quote: [
        { text: 'wait ', same: true },
        { text: '1032', same: false },
        { text: ' ms before', same: true },
      ],
      document: [
        { text: 'wait ', same: true },
        { text: '1023', same: false },
        { text: ' ms before', same: true },
        { text: ' it', same: false },
      ],
    });
  });

  test('loses no word, and what is the same is the same on both sides', () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'c', '1', '🔁', '.')).map((list) => list.join(' '));
    fc.assert(
      fc.property(words, words, (quote, document) => {
        const compared = compareWords(quote, document);
        const text = (parts: readonly { text: string }[]): string => parts.map((part) => part.text).join('');
        const same = (parts: readonly { text: string; same: boolean }[]): string => text(parts.filter((part) => part.same));
        expect(text(compared.quote)).toBe(quote);
        expect(text(compared.document)).toBe(document);
        expect(same(compared.quote)).toBe(same(compared.document));
      }),
    );
  });

  test('takes all between the common ends as different when there is too much of it', () => {
    const many = (word: string): string => `start ${`${word} `.repeat(600)}end`;
    expect(compareWords(many('x'), many('y')).quote.map(({ same }) => same)).toEqual([true, false, true]);
  });
});

describe('artifactHref', () => {
  test.each([
    ['https://example.org/runs/1/', 'jobs/a b', 'https://example.org/runs/1/jobs/a%20b/'],
    ['../.aieval/runs/r-1/', 'jobs/j#1', '../.aieval/runs/r-1/jobs/j%231/'],
    ['', 'jobs/j1', 'jobs/j1/'],
  ])('of %j and %j is %j', (base, path, href) => {
    expect(artifactHref(base, path)).toBe(href);
  });

  test.each(['javascript:alert(1)//', 'data:text/html,', '//evil.example/', '\\\\evil\\', 'file:///etc/'])(
    'is refused below %s',
    (base) => {
      expect(artifactHref(base, 'jobs/j1')).toBeNull();
    },
  );

  test('is missing where there is no folder or no place', () => {
    expect(artifactHref(null, 'jobs/j1')).toBeNull();
    expect(artifactHref('', null)).toBeNull();
  });
});

describe('quantiles', () => {
  test('are the values of the nearest rank', () => {
    expect(quantiles(Array.from({ length: 100 }, (_, index) => 100 - index))).toEqual({
      p5: 5,
      p25: 25,
      p50: 50,
      p75: 75,
      p95: 95,
      most: 100,
    });
  });

  test('of one value are that value, and of none nothing', () => {
    expect(quantiles([7])).toEqual({ p5: 7, p25: 7, p50: 7, p75: 7, p95: 7, most: 7 });
    expect(quantiles([])).toBeNull();
  });
});
