import { describe, expect, test } from 'vitest';
import { coverageOf, isWhole, mergeSpans } from '../../src/domain/coverage.ts';
import type { CanonicalText, LostPage, Page, Section } from '../../src/domain/document.ts';

/** Sections of ten characters with a subsection in the second half of the second; pages of fifteen. */
function contentOf(more: Partial<CanonicalText> = {}): CanonicalText {
  const text = 'x'.repeat(60);
  const titles = ['A', 'B', 'B.1', 'C', 'D', 'E'];
  const sections: Section[] = titles.map((title, index) => {
    const [level, start] = [title.length > 1 ? 2 : 1, index * 10];
    return { title, level, start, end: title === 'B' ? 30 : start + 10 };
  });
  return {
    ...{ format: 'pdf', extractor: 'pdf@1', title: null, text, textSha256: 'hash', sections, blocks: [], lostPages: [], warnings: [] },
    pages: [1, 2, 3, 4].map((number) => pageOf(number, (number - 1) * 15, number * 15)),
    lines: { start: [0], number: [1] },
    ...more,
  };
}

function pageOf(number: number, start: number, end: number): Page {
  return { number, label: null, start, end };
}

describe('the coverage of a document', () => {
  test('that was asked whole is whole', () => {
    const coverage = coverageOf(contentOf(), [{ start: 0, end: 60 }], 1);
    expect(coverage).toEqual({
      textSha256: 'hash',
      extractor: 'pdf@1',
      spans: [{ start: 0, end: 60 }],
      characters: 60,
      of: 60,
      parts: 1,
      sections: { seen: 6, of: 6, missed: [] },
      pages: { seen: 4, of: 4, missed: [] },
      lostPages: [],
    });
    expect(isWhole(coverage)).toBe(true);
  });

  test('that was asked in parts is whole when they tile it, and counts what they share once', () => {
    const spans = [
      { start: 25, end: 60 },
      { start: 0, end: 30 },
    ];
    const coverage = coverageOf(contentOf(), spans, 2);
    expect([coverage.spans, coverage.characters, coverage.parts, isWhole(coverage)]).toEqual([[{ start: 0, end: 60 }], 60, 2, true]);
  });

  test('names the sections and pages of which nothing was in a prompt', () => {
    const coverage = coverageOf(contentOf(), [{ start: 22, end: 31 }], 1);
    expect([coverage.sections, coverage.pages, isWhole(coverage)]).toEqual([
      { seen: 2, of: 6, missed: ['A', 'B', 'D', 'E'] },
      { seen: 2, of: 4, missed: [1, 4] },
      false,
    ]);
  });

  test('has a page that the document lacks apart, and misses nothing of a blank one', () => {
    const pages = [pageOf(1, 0, 30), pageOf(2, 30, 30), pageOf(3, 30, 30), pageOf(4, 30, 60)];
    const lostPages: LostPage[] = [{ number: 2, label: 'ii', why: 'cannot be read' }];
    const coverage = coverageOf(contentOf({ pages, lostPages }), [{ start: 0, end: 60 }], 1);
    expect([coverage.pages, coverage.lostPages, isWhole(coverage)]).toEqual([{ seen: 3, of: 4, missed: [] }, lostPages, false]);
  });

  test('has no pages where the document has none, and names twenty of what was missed', () => {
    const sections = Array.from({ length: 50 }, (_, index) => ({ title: `S${index}`, level: 1, start: index, end: index + 1 }));
    const coverage = coverageOf(contentOf({ pages: [], sections }), [], 1);
    expect([coverage.pages, coverage.sections.missed.length, coverage.sections.of, coverage.characters]).toEqual([null, 20, 50, 0]);
  });
});

test('spans are merged where they touch, and empty ones left out', () => {
  const spans = [
    { start: 30, end: 40 },
    { start: 5, end: 10 },
    { start: 0, end: 5 },
    { start: 20, end: 20 },
    { start: 32, end: 35 },
  ];
  expect(mergeSpans(spans)).toEqual([
    { start: 0, end: 10 },
    { start: 30, end: 40 },
  ]);
});
