import { describe, expect, test } from 'vitest';
import { chunkLines, factLines, sectionLines } from '../../../src/cli/documents/extract-screen.ts';
import { painter } from '../../../src/cli/terminal/style.ts';
import { columnsOf } from '../../../src/cli/terminal/width.ts';
import type { CanonicalText } from '../../../src/domain/document.ts';
import { DANGEROUS, HOSTILE } from '../display/sample-events.ts';

function content(change: Partial<CanonicalText> = {}): CanonicalText {
  return {
    ...{ format: 'pdf', extractor: 'pdf:x+norm:1', title: 'Spec', text: 'x'.repeat(1200), textSha256: 'c'.repeat(64), blocks: [] },
    pages: [
      { number: 1, label: 'i', start: 0, end: 600 },
      { number: 2, label: '2', start: 600, end: 1200 },
    ],
    sections: [
      { title: 'Scope', level: 1, start: 0, end: 1200 },
      { title: 'Limits', level: 2, start: 700, end: 1200 },
    ],
    lostPages: [{ number: 3, label: null, why: 'cannot be read' }],
    lines: { start: [0, 600], number: [1, 1] },
    warnings: ['page 1: 3 characters left out', 'page 2: 3 characters left out'],
    ...change,
  };
}

const read = (text: CanonicalText, name = 'a.pdf') => ({
  name,
  content: text,
  bytesSha256: 'b'.repeat(64),
  tokens: { tokens: 300, maxTokens: 400 },
});
const look = { columns: 100, paint: painter(false), onlyWarnings: false };
const PARTS = [
  { part: { index: 0, of: 2, start: 0, ownStart: 0, end: 700 }, tokens: { tokens: 175, maxTokens: 200 } },
  { part: { index: 1, of: 2, start: 650, ownStart: 700, end: 1200 }, tokens: { tokens: 140, maxTokens: 160 } },
];

describe('the screen of extract', () => {
  test('says one fact a line, what the document lacks and what is odd about it last', () => {
    const lines = factLines(read(content()), look);
    expect(lines).toEqual([
      'a.pdf',
      '  format      pdf, read by pdf:x+norm:1',
      '  title       Spec',
      '  pages       2, with labels of their own, such as i',
      '  sections    2: Scope > Limits',
      '  text        1,200 characters, about 300 tokens · sha256 cccccccccccc…',
      '  bytes       sha256 bbbbbbbbbbbb…',
      '  without     page 3: cannot be read',
      '  warning     pages 1–2: 3 characters left out',
    ]);
    expect(factLines(read(content()), { ...look, onlyWarnings: true })).toEqual(lines.slice(-2));
  });

  test('names the outermost sections; below one that holds all, those in it', () => {
    const section = (title: string, level: number) => ({ title, level, start: 0, end: 1 });
    const told = (...sections: CanonicalText['sections']) => factLines(read(content({ sections })), look)[4];
    expect(told(section('A', 1), section('A.1', 2), section('B', 1))).toBe('  sections    3: A, B');
    expect(told(section('Title', 1), section('A', 2), section('A.1', 3), section('B', 2))).toBe('  sections    4: Title > A, B');
    expect(told(section('Title', 3))).toBe('  sections    1: Title');
    expect(told()).toBe('  sections    none found');
  });

  test('lists sections and parts with their pages, lines and offsets', () => {
    expect(sectionLines(content(), 100)).toEqual([
      'PAGE  LINE  CHARACTERS  SECTION',
      '1     1     0–1200      Scope',
      '2     1     700–1200    · Limits',
    ]);
    expect(sectionLines(content({ sections: [] }), 100)).toEqual(['No sections found.']);
    expect(chunkLines(content(), PARTS, 100)).toEqual([
      'PART  TOKENS  PAGES  CHARACTERS  NEW FROM  HEADINGS',
      '1/2   175     1–2    0–700                 Scope',
      '2/2   140     2      650–1200    700       Scope · Limits',
    ]);
  });

  test('hostile titles, labels and warnings command no terminal, and everything fits', () => {
    const hostile = content({
      title: HOSTILE,
      pages: [{ number: 1, label: HOSTILE, start: 0, end: 1200 }],
      sections: [{ title: HOSTILE.repeat(20), level: 1, start: 0, end: 1200 }],
      lostPages: [{ number: 2, label: HOSTILE, why: HOSTILE }],
      warnings: [HOSTILE],
    });
    for (const columns of [60, 100, 200]) {
      const facts = factLines(read(hostile, HOSTILE), { ...look, columns });
      const lines = [...facts.slice(1), ...sectionLines(hostile, columns), ...chunkLines(hostile, PARTS, columns)];
      for (const line of lines) expect(columnsOf(line), line).toBeLessThanOrEqual(columns);
      for (const line of [...facts, ...lines]) expect(line).not.toMatch(DANGEROUS);
    }
  });
});
