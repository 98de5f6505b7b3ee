import { expect, test } from 'vitest';
import { docLines } from '../../../src/cli/show/show-doc.ts';
import { columnsOf } from '../../../src/cli/terminal/width.ts';
import type { CanonicalText, Page } from '../../../src/domain/document.ts';
import type { Evidence, Finding, Score } from '../../../src/domain/score.ts';
import { altered, finding, invented, score } from '../../report/sample.ts';
import { DANGEROUS, HOSTILE } from '../display/sample-events.ts';

const LOOK = { columns: 60, colour: false };

function content(text: string, pages: readonly Page[] = []): CanonicalText {
  const start = [0];
  for (const { index } of text.matchAll(/\n/g)) if (index + 1 < text.length) start.push(index + 1);
  return {
    ...{ format: 'pdf', extractor: 'x', title: null, text, textSha256: 't', pages, sections: [], blocks: [], lostPages: [], warnings: [] },
    lines: { start, number: start.map((_, index) => index + 1) },
  };
}

function at(text: string, quote: string, over: Partial<Evidence> = {}): Finding {
  const start = text.indexOf(quote);
  return finding(
    { position: { page: null, pageLabel: null, section: null, line: 1, start, end: start + quote.length }, text: quote, ...over },
    quote,
  );
}

const cited = (...findings: Finding[]): readonly Score[] => [score({ check: 'quotes', findings })];

test('a quote is marked where it stands, over line ends, with its check below and ten lines around', () => {
  const text = Array.from({ length: 40 }, (_, index) => `line ${index + 1} of the text\n`).join('');
  const lines = docLines(content(text), cited(at(text, 'of the text\nline 21')), LOOK);
  expect(lines.slice(0, 3)).toEqual([' ··· 9 lines not shown', '      10 │ line 10 of the text', '      11 │ line 11 of the text']);
  expect(lines.slice(10, 15)).toEqual([
    '      19 │ line 19 of the text',
    ' ✓    20 │ line 20 »of the text«',
    ' ✓    21 │ »line 21« of the text',
    '         └ quotes /findings/0/quote: verified',
    '      22 │ line 22 of the text',
  ]);
  expect(lines.slice(-2)).toEqual(['      31 │ line 31 of the text', ' ··· 9 lines not shown']);
});

test('an altered quote shows what was quoted, an invented one is listed below', () => {
  const text = 'The offset of the 1032 byte register\n';
  const told = {
    ...altered,
    evidence: { ...altered.evidence, position: { ...at(text, 'offset of the 1032 byte register').evidence.position } },
  } as Finding;
  expect(docLines(content(text), cited(told, invented), LOOK)).toEqual([
    ' ✗     1 │ The »offset of the 1032 byte register«',
    '         └ quotes /findings/0/quote: altered: 1023 → 1032',
    '           quoted: "offset of the 1023 byte register"',
    '',
    ' Not found in the document (1):',
    ' ✗ quotes /findings/0/quote: not in the document',
    '   "Clients may skip the checksum"',
  ]);
});

test('pages are named where they begin', () => {
  const text = 'a\nb\n';
  const pages = [
    { number: 1, label: 'i', start: 0, end: 2 },
    { number: 2, label: '2', start: 2, end: 4 },
  ];
  expect(docLines(content(text, pages), cited(at(text, 'b')), LOOK).slice(0, 4)).toEqual([
    ' ── page 1 (printed: i) ──',
    '       1 │ a',
    ' ── page 2 ──',
    ' ✓     2 │ »b«',
  ]);
});

test('colour takes the place of the signs around a quote, and the worst of two is seen where they overlap', () => {
  const text = 'one two three\n';
  const scores = cited(at(text, 'one two'), at(text, 'two three', { status: 'near', tier: null }));
  const [line] = docLines(content(text), scores, { columns: 60, colour: true });
  expect(line).toBe(' \u001b[33m~\u001b[39m     1 │ \u001b[32mone \u001b[39m\u001b[33mtwo three\u001b[39m');
});

test('parts of a quote are marked apart', () => {
  const text = 'one two three four\n';
  const spans = [
    { start: 0, end: 3 },
    { start: 8, end: 13 },
  ];
  expect(docLines(content(text), cited(at(text, 'one two three', { status: 'elided', tier: null, spans })), LOOK)[0]).toBe(
    ' ~     1 │ »one« two »three« four',
  );
});

test('a long line is broken behind its margin, and a hostile one commands neither terminal nor log', () => {
  const text = `${'word '.repeat(40)}${HOSTILE.replaceAll('\n', ' ')} ##[error] \ufdd0 end\n`;
  const lines = docLines(content(text), cited(at(text, 'end'), at(text, 'word word')), LOOK);
  for (const line of lines) {
    expect(columnsOf(line)).toBeLessThanOrEqual(60);
    expect(line).not.toMatch(DANGEROUS);
    expect(line).not.toMatch(/##\[/);
  }
  expect(lines[1]).toMatch(/^ {11}word/);
});

test('without a quote there is nothing to mark', () => {
  expect(docLines(content('a\n'), [], LOOK)).toEqual([' No check looked up a quote. --json has the whole text.']);
});
