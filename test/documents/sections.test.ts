import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sectionsOf } from '../../src/documents/sections.ts';

test('a section ends at the next heading of its level or a higher one', () => {
  const headings = [
    { title: 'A', level: 1, start: 0 },
    { title: 'A.1', level: 2, start: 10 },
    { title: 'A.1.1', level: 4, start: 20 },
    { title: 'A.2', level: 2, start: 30 },
    { title: 'B', level: 1, start: 40 },
  ];
  expect(sectionsOf(headings, 50).map(({ title, end }) => [title, end])).toEqual([
    ['A', 40],
    ['A.1', 30],
    ['A.1.1', 30],
    ['A.2', 40],
    ['B', 50],
  ]);
});

test('headings without words make no section; others are normalised and have their white space collapsed', () => {
  const headings = [
    { title: '  ', level: 1, start: 0 },
    { title: ' 1.\n \u0000Scope\u00a0', level: 1, start: 4 },
  ];
  expect(sectionsOf(headings, 9)).toEqual([{ title: '1. Scope', level: 1, start: 4, end: 9 }]);
});

test('sections are in order and nest, whatever the headings', () => {
  const heading = fc.record({ title: fc.constant('x'), level: fc.integer({ min: 1, max: 6 }), start: fc.nat(100) });
  fc.assert(
    fc.property(fc.array(heading, { maxLength: 20 }), (headings) => {
      const sections = sectionsOf(headings, 100);
      for (const [index, section] of sections.entries()) {
        expect(section.start).toBeLessThanOrEqual(section.end);
        for (const later of sections.slice(index + 1)) {
          expect(later.start).toBeGreaterThanOrEqual(section.start);
          expect(later.start >= section.end || later.end <= section.end).toBe(true);
        }
      }
    }),
  );
});
