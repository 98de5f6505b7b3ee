import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CanonicalText, Page } from '../../../src/domain/document.ts';
import { citedExcerpts, citedSpans, wholeText } from '../../../src/report/html/excerpts.ts';
import { altered, finding, invented, score } from '../sample.ts';

function content(text: string, pages: readonly Page[] = [], numbers?: readonly number[]): CanonicalText {
  const start = [0];
  for (const { index } of text.matchAll(/\n/g)) if (index + 1 < text.length) start.push(index + 1);
  return {
    ...{
      format: 'markdown',
      extractor: 'x',
      title: null,
      text,
      textSha256: 't',
      pages,
      sections: [],
      blocks: [],
      lostPages: [],
      warnings: [],
    },
    lines: { start, number: numbers ?? start.map((_, index) => index + 1) },
  };
}

/** `line 1` to `line n`. */
const LINES = Array.from({ length: 100 }, (_, index) => `line ${String(index + 1).padStart(2, '0')}\n`).join('');

describe('the cited passages', () => {
  test('stand with fifteen lines around them, at their offset, line and page', () => {
    const start = LINES.indexOf('line 50');
    const { excerpts } = citedExcerpts(content(LINES), [{ start, end: start + 7 }]);
    expect(excerpts).toEqual([
      { start: LINES.indexOf('line 35'), text: expect.stringMatching(/^line 35\n[\s\S]*line 65\n$/), line: 35, page: null },
    ]);
  });

  test('are one excerpt where they overlap, and begin and end with the text', () => {
    const at = (line: string) => ({ start: LINES.indexOf(line), end: LINES.indexOf(line) + 7 });
    const { excerpts } = citedExcerpts(content(LINES), [at('line 95'), at('line 03'), at('line 20')]);
    expect(excerpts.map(({ line, text }) => [line, text.split('\n').length - 1])).toEqual([
      [1, 35],
      [80, 21],
    ]);
  });

  test('name the lines at which the count begins anew: of a page, behind lines that the text has not', () => {
    const text = 'a\nb\nc\nd\n';
    const pages = [
      { number: 1, label: null, start: 0, end: 4 },
      { number: 2, label: null, start: 4, end: 8 },
    ];
    expect(citedExcerpts(content(text, pages, [1, 2, 1, 5]), [{ start: 0, end: 1 }]).excerpts).toEqual([
      {
        start: 0,
        text,
        line: 1,
        page: 1,
        jumps: [
          { at: 4, line: 1, page: 2 },
          { at: 6, line: 5, page: 2 },
        ],
      },
    ]);
  });

  test('of a line as long as a book are its surroundings, and no character is cut in two', () => {
    const text = '😀'.repeat(20_000);
    const { excerpts } = citedExcerpts(content(text), [{ start: 20_000, end: 20_002 }]);
    expect(excerpts[0]?.text.length).toBeLessThan(9000);
    expect(excerpts[0]?.text).toMatch(/^(?:😀)+$/);
  });

  test('are slices of the text whatever is cited', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z 😀]{0,40}$/u), { minLength: 1, maxLength: 80 }),
        fc.array(fc.tuple(fc.nat(), fc.nat(60)), { maxLength: 5 }),
        (lines, places) => {
          const text = lines.join('\n');
          const cited = places.map(([at, length]) => {
            const start = text.length === 0 ? 0 : at % text.length;
            return { start, end: Math.min(text.length, start + length) };
          });
          const { excerpts } = citedExcerpts(content(text), cited);
          for (const { start, text: part } of excerpts) expect(text.slice(start, start + part.length)).toBe(part);
          for (const { start, end } of cited) {
            if (start === end) continue;
            expect(excerpts.some((each) => each.start <= start && end <= each.start + each.text.length)).toBe(true);
          }
        },
      ),
    );
  });
});

test('a quote is cited where it stands, an altered one where it nearly stands, parts of one apart; an invented one nowhere', () => {
  const parts = finding({ status: 'elided', spans: [{ start: 200, end: 210 }] });
  expect(citedSpans([score({ findings: [finding(), altered, invented, parts] })])).toEqual([
    { start: 100, end: 120 },
    { start: 5, end: 30 },
    { start: 100, end: 120 },
    { start: 200, end: 210 },
  ]);
});

test('the whole text is one excerpt, an empty one none', () => {
  expect(wholeText(content('a\nb')).excerpts).toEqual([{ start: 0, text: 'a\nb', line: 1, page: null }]);
  expect(wholeText(content('')).excerpts).toEqual([]);
});
