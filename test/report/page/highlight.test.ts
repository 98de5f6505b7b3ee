import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Mark, marksOf, segmentsOf } from '../../../src/report/page/logic/highlight.ts';
import { foldLines, lineAt, linesOf } from '../../../src/report/page/logic/lines.ts';
import { absencesOf, quotesOf } from '../../../src/report/page/logic/quotes.ts';
import { absence, score } from '../sample.ts';
import { canonical, found, missing } from './quoted.ts';

const text = 'Zeile 🔁 eins\nCafe\u0301 zwei\nthree three\n';
const content = canonical(text);

describe('quotesOf', () => {
  test('numbers quotes in the order of the document, those without a place last', () => {
    const quotes = quotesOf([score({ findings: [missing('gone'), found(content, 'zwei'), found(content, '🔁', { status: 'near' })] })]);
    expect(quotes.map(({ number, tone, finding }) => [number, tone, finding.quote])).toEqual([
      [1, 'near', '🔁'],
      [2, 'verified', 'zwei'],
      [3, 'rejected', 'gone'],
    ]);
  });

  test('takes a quote that no prompt has shown as one to decide', () => {
    expect(quotesOf([score({ findings: [found(content, 'zwei', { seen: false })] })])[0]?.tone).toBe('near');
  });

  test('takes the parts of a quote where it has some', () => {
    const [quote] = quotesOf([
      score({
        findings: [
          found(content, 'Cafe\u0301 zwei', {
            status: 'elided',
            spans: [
              { start: 14, end: 16 },
              { start: 20, end: 24 },
            ],
          }),
        ],
      }),
    ]);
    expect(quote?.spans).toEqual([
      { start: 14, end: 16 },
      { start: 20, end: 24 },
    ]);
  });

  test('leaves absences to themselves', () => {
    expect(absencesOf([score(), score({ absences: [absence()] })])).toEqual([{ check: 'evidence', absence: absence() }]);
  });
});

describe('segmentsOf', () => {
  const cut = (marks: readonly Mark[], from = 0, to = text.length) =>
    segmentsOf(from, to, marks).map(({ start, end, quotes, tone }) => [text.slice(start, end), quotes, tone]);

  test('marks exactly the quoted characters, astral and combining ones too', () => {
    const marks = marksOf(quotesOf([score({ findings: [found(content, '🔁 eins'), found(content, 'Cafe\u0301')] })]));
    expect(cut(marks)).toEqual([
      ['Zeile ', [], null],
      ['🔁 eins', [1], 'verified'],
      ['\n', [], null],
      ['Cafe\u0301', [2], 'verified'],
      [' zwei\nthree three\n', [], null],
    ]);
  });

  test('shows the worst of quotes that lie over each other', () => {
    const marks: Mark[] = [
      { start: 0, end: 10, quote: 1, tone: 'verified' },
      { start: 5, end: 12, quote: 2, tone: 'rejected' },
    ];
    expect(segmentsOf(0, 14, marks)).toEqual([
      { start: 0, end: 5, quotes: [1], begins: [1], tone: 'verified' },
      { start: 5, end: 10, quotes: [1, 2], begins: [2], tone: 'rejected' },
      { start: 10, end: 12, quotes: [2], begins: [], tone: 'rejected' },
      { start: 12, end: 14, quotes: [], begins: [], tone: null },
    ]);
  });

  test('cover every character once, whatever the marks are', () => {
    const marks = fc.array(
      fc.record({
        start: fc.nat(40),
        end: fc.nat(40),
        quote: fc.nat(9),
        tone: fc.constantFrom('verified' as const, 'near' as const, 'rejected' as const),
      }),
    );
    fc.assert(
      fc.property(marks, fc.nat(20), (each, start) => {
        const segments = segmentsOf(
          start,
          30,
          each.filter((mark) => mark.start < mark.end),
        );
        expect(segments.map(({ start: from }) => from)).toEqual([start, ...segments.slice(0, -1).map(({ end }) => end)]);
        expect(segments.at(-1)?.end).toBe(30);
      }),
    );
  });
});

describe('linesOf', () => {
  test('numbers the lines of an excerpt from its place', () => {
    const lines = linesOf({ start: 14, text: 'Cafe\u0301 zwei\nthree', line: 2, page: null });
    expect(lines).toEqual([
      { start: 14, end: 24, text: 'Cafe\u0301 zwei', number: 2, page: null },
      { start: 25, end: 30, text: 'three', number: 3, page: null },
    ]);
  });

  test('counts anew where a page begins', () => {
    const lines = linesOf({ start: 100, text: 'a\nb\nc\n', line: 40, page: 1, jumps: [{ at: 102, line: 1, page: 2 }] });
    expect(lines.map(({ number, page }) => [number, page])).toEqual([
      [40, 1],
      [1, 2],
      [2, 2],
    ]);
  });

  test('leaves lines without numbers where the format has none', () => {
    expect(linesOf({ start: 0, text: 'a\nb', line: null, page: null }).map(({ number }) => number)).toEqual([null, null]);
  });

  test('are found by any of their offsets', () => {
    const lines = linesOf({ start: 10, text: 'ab\n\ncd', line: 1, page: null });
    expect([9, 10, 12, 13, 14, 16, 17].map((offset) => lineAt(lines, offset))).toEqual([-1, 0, 0, 1, 2, 2, -1]);
  });
});

describe('foldLines', () => {
  const lines = linesOf({ start: 0, text: Array.from({ length: 20_000 }, () => 'x').join('\n'), line: 1, page: null });

  test('shows fifteen lines on both sides of a mark and folds the rest', () => {
    const mark: Mark = { start: 2000, end: 2001, quote: 1, tone: 'verified' };
    expect(foldLines(lines, [mark])).toEqual([
      { first: 0, last: 985, folded: true },
      { first: 985, last: 1016, folded: false },
      { first: 1016, last: 20_000, folded: true },
    ]);
  });

  test('shows a bounded number of lines of any text', () => {
    const marks = lines.map(({ start, end }, index): Mark => ({ start, end, quote: index, tone: 'verified' }));
    const shown = foldLines(lines, marks).filter(({ folded }) => !folded);
    expect(shown.reduce((sum, { first, last }) => sum + last - first, 0)).toBeLessThanOrEqual(1200);
  });

  test('shows the beginning of a text without marks', () => {
    expect(foldLines(lines, [])[0]).toEqual({ first: 0, last: 40, folded: false });
  });
});
