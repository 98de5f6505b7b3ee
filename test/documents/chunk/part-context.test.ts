import { expect, test } from 'vitest';
import { partContext } from '../../../src/documents/chunk/part-context.ts';
import { repeatedHeader } from '../../../src/documents/chunk/repeated-header.ts';

const SECTIONS = [
  { title: 'A', level: 1, start: 0, end: 40 },
  { title: 'A.1', level: 2, start: 10, end: 25 },
  { title: 'A.2', level: 2, start: 25, end: 40 },
  { title: 'B', level: 1, start: 40, end: 60 },
];
const PAGES = [
  { number: 1, label: 'i', start: 0, end: 20 },
  { number: 2, label: null, start: 20, end: 20 },
  { number: 3, label: '1', start: 20, end: 60 },
];

function partOf(start: number, end: number) {
  return { start, end, ownStart: start, index: 0, of: 2 };
}

test('a part stands in the sections that its first character stands in, and on the pages that it has text of', () => {
  const content = { title: 'T', sections: SECTIONS, pages: PAGES };
  expect(partContext(content, partOf(12, 45))).toEqual({
    title: 'T',
    headings: ['A', 'A.1'],
    begins: ['A.2', 'B'],
    pages: { first: { number: 1, label: 'i' }, last: { number: 3, label: '1' } },
  });
  expect(partContext(content, partOf(40, 60))).toMatchObject({ headings: ['B'], begins: [], pages: { first: { number: 3 } } });
  expect(partContext({ ...content, pages: [] }, partOf(0, 5)).pages).toBeNull();
});

test('a part that begins in the midst of a table has its header row, and no other part', () => {
  const text = 'Text.\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\nText.\n';
  const table = { kind: 'table', start: 6, end: 46, headerEnd: 26 } as const;
  const headerAt = (start: number, block: object = {}) => repeatedHeader({ text, blocks: [{ ...table, ...block }] }, partOf(start, 52));
  expect([36, 26].map((start) => headerAt(start))).toEqual(Array(2).fill('| a | b |\n|---|---|'));
  expect([0, 6, 16, 46].map((start) => headerAt(start))).toEqual([null, null, null, null]);
  expect([headerAt(36, { kind: 'listing' }), headerAt(36, { headerEnd: null })]).toEqual([null, null]);
});

test('a header of thousands of characters is not repeated', () => {
  const text = `${'| a '.repeat(1000)}\n| 1 |\n| 2 |\n`;
  const table = { kind: 'table', start: 0, end: text.length, headerEnd: 4001 } as const;
  expect(repeatedHeader({ text, blocks: [table] }, partOf(4007, text.length))).toBeNull();
});

test('100,000 sections and pages cost a part no more than the few it stands in', () => {
  const each = Array.from({ length: 100_000 }, (_, index) => ({ start: 4 * index, end: 4 * index + 4 }));
  const sections = each.map((span, index) => ({ ...span, title: `${index}`, level: 1 }));
  const pages = each.map((span, index) => ({ ...span, number: index + 1, label: null }));
  const msOf = (content: { sections: typeof sections; pages: typeof pages }): number => {
    const startedMs = performance.now();
    for (let start = 0; start < 8000; start += 4) partContext({ title: null, ...content }, partOf(start + 391_000, start + 391_004));
    return performance.now() - startedMs;
  };
  const few = { sections: sections.slice(-3000), pages: pages.slice(-3000) };
  msOf(few);
  expect(msOf({ sections, pages })).toBeLessThan(100 + 10 * msOf(few));
});

test('a part among many small sections stands in the large one around them', () => {
  const small = Array.from({ length: 50 }, (_, index) => ({ title: `b${index}`, level: 3, start: 10 * index + 5, end: 10 * index + 15 }));
  const sections = [{ title: 'a', level: 1, start: 0, end: 505 }, ...small, { title: 'c', level: 2, start: 505, end: 600 }];
  const content = { title: null, sections, pages: [] };
  expect([3, 7, 300, 504, 505, 600].map((start) => partContext(content, partOf(start, 610)).headings)).toEqual([
    ['a'],
    ['a', 'b0'],
    ['a', 'b29'],
    ['a', 'b49'],
    ['c'],
    [],
  ]);
});
