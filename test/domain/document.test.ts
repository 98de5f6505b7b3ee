import { describe, expect, test } from 'vitest';
import { type CanonicalText, positionOf } from '../../src/domain/document.ts';

//              0123456789 0123456 789012345678901
const text = '# A\nfirst\n## B\nsecond\n# C\nthird';
const content: CanonicalText = {
  format: 'text',
  extractor: 'test@1',
  title: null,
  text,
  textSha256: '',
  pages: [
    { number: 1, label: 'i', start: 0, end: 10 },
    { number: 2, label: null, start: 10, end: 10 },
    { number: 3, label: '1', start: 10, end: text.length },
  ],
  sections: [
    { title: 'A', level: 1, start: 0, end: 22 },
    { title: 'B', level: 2, start: 10, end: 22 },
    { title: 'C', level: 1, start: 22, end: text.length },
  ],
  lines: { start: [0, 4, 10, 15, 22, 26], number: [1, 3, 7, 8, 11, 12] },
  blocks: [],
  lostPages: [],
  warnings: [],
};

describe('position of a span', () => {
  test('names page, label, innermost section and the line of its first character', () => {
    expect(positionOf(content, 15, 21)).toEqual({ page: 3, pageLabel: '1', section: 'B', line: 8, start: 15, end: 21 });
  });

  test('the first character of a page, section or line belongs to it', () => {
    expect(positionOf(content, 22, 23)).toMatchObject({ section: 'C', line: 11 });
    expect(positionOf(content, 10, 11)).toMatchObject({ page: 3, section: 'B', line: 7 });
    expect(positionOf(content, 9, 10)).toMatchObject({ page: 1, section: 'A', line: 3 });
  });

  test('a span over a page break stands where it begins', () => {
    expect(positionOf(content, 5, 20)).toMatchObject({ page: 1, pageLabel: 'i', line: 3, end: 20 });
  });

  test('a span at the end of the text stands in the last page and line', () => {
    expect(positionOf(content, text.length, text.length)).toMatchObject({ page: 3, section: null, line: 12 });
  });

  test('without pages, sections and lines it stands on line 1', () => {
    const bare = { ...content, pages: [], sections: [], lines: { start: [], number: [] } };
    expect(positionOf(bare, 3, 4)).toEqual({ page: null, pageLabel: null, section: null, line: 1, start: 3, end: 4 });
  });

  test('text before the first section stands in none', () => {
    expect(positionOf({ ...content, sections: content.sections.slice(1) }, 2, 3).section).toBeNull();
  });
});

test('the positions of 100,000 sections are found in the time of a few thousand', () => {
  const flat = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ title: `${index}`, level: 1, start: 4 * index, end: 4 * index + 4 }));
  const many = { ...content, sections: flat(100_000) };
  const msOf = (starts: readonly number[]): number => {
    const startedMs = performance.now();
    for (const start of starts) expect.soft(positionOf(many, start, start).section).toBe(`${start / 4}`);
    return performance.now() - startedMs;
  };
  const early = Array.from({ length: 3000 }, (_, index) => 4 * index);
  msOf(early);
  // One after the other they took some hundred times as long near the end.
  expect(msOf(early.map((start) => 399_996 - start))).toBeLessThan(100 + 10 * msOf(early));
});
