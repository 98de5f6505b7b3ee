import { expect, test } from 'vitest';
import { summaryMarkdown } from '../../src/report/markdown.ts';
import { summarize } from '../../src/report/summarize.ts';
import { summaryText } from '../../src/report/text.ts';
import { groupedWarnings, warningGroups } from '../../src/report/warning-groups.ts';
import { header } from './sample.ts';

test('fifty pages with the same fault are one line, other faults stay apart', () => {
  const pages = Array.from({ length: 50 }, (_, i) => `page ${i + 1}: hidden text removed`);
  expect(groupedWarnings([...pages, 'charset guessed: windows-1251', 'page 60: 3 glyphs unknown', 'page 61: 9 glyphs unknown'])).toEqual([
    'pages 1–50: hidden text removed',
    'charset guessed: windows-1251',
    'page 60: 3 glyphs unknown (alike: page 61)',
  ]);
  expect(groupedWarnings(['3 images left out', '4 images left out'])).toEqual(['3 images left out (and 1 more like it)']);
  expect(groupedWarnings(['page 1 has no text', 'page 3 has no text'])).toEqual(['page 1 has no text (alike: page 3)']);
  expect(groupedWarnings(['20 hidden characters removed', '20 hidden characters removed'])).toEqual(['20 hidden characters removed']);
});

test('a warning of many documents is one entry, the most widespread first', () => {
  const documents = Array.from({ length: 9 }, (_, i) => ({ document: `${i}.pdf`, warnings: i === 0 ? ['rare', 'common'] : ['common'] }));
  expect(warningGroups(documents, 1)).toEqual({ total: 2, kept: [{ text: 'common', documents: ['0.pdf', '1.pdf', '2.pdf'], total: 9 }] });
  const counts = [7, 9].map((pages) => ({ document: `${pages}.txt`, warnings: [`${pages} page headers removed`] }));
  expect(warningGroups(counts, 9).kept).toEqual([{ text: '7 and 9 page headers removed', documents: ['7.txt', '9.txt'], total: 2 }]);
});

test.each([
  [['151 page headers removed', '31 page headers removed', '31 page headers removed'], '151, 31 and 31 page headers removed'],
  [['7 headers of 9 pages', '8 headers of 10 pages'], '7 headers of 9 pages (numbers differ)'],
  [['charset guessed: windows-1251', 'charset guessed: windows-1252'], 'charset guessed: windows-1251 (numbers differ)'],
  [['1 header', '2 header', '3 header', '4 header'], '1 header (numbers differ)'],
])('of %j each number is told where the documents are named and nothing else differs', (warnings, told) => {
  const documents = warnings.map((text, i) => ({ document: `${i}.txt`, warnings: [text] }));
  expect(warningGroups(documents, 9).kept.map(({ text }) => text)).toEqual([told]);
});

test('the summary tells them so, in Markdown and in text', () => {
  const documents = Array.from({ length: 9 }, (_, i) => ({
    ...{ id: `${i}.pdf`, bytesSha256: null, textSha256: null, pages: null, characters: null, error: null },
    warnings: ['page 1: hidden text removed', 'page 2: hidden text removed'],
  }));
  const summary = summarize(header({ documents }), []);
  expect(summary.documents.warned.kept[0]).toEqual({ document: '0.pdf', warnings: ['pages 1–2: hidden text removed'] });
  expect(summaryMarkdown(summary)).toContain('- `0.pdf`, `1.pdf`, `2.pdf` and 6 more — `pages 1–2: hidden text removed`\n');
  expect(summaryText(summary)).toContain('Document warnings (1)\n  - pages 1–2: hidden text removed  (0.pdf, 1.pdf, 2.pdf and 6 more)\n');
});

test('that page numbers were removed is no line of a summary, and stays in its JSON', () => {
  const warnings = ['running line removed from 16 pages, such as "1"', 'running line removed from 9 pages, such as "- Page 3 of 9 -"'];
  const [document] = header().documents;
  if (document === undefined) throw new Error('the sample has no document');
  const title = 'running line removed from 9 pages, such as "RFC 9110 HTTP"';
  const summary = summarize(header({ documents: [{ ...document, warnings: [...warnings, title] }] }), []);
  expect(summary.documents.warnings.kept.map(({ text }) => text)).toEqual([title]);
  expect(JSON.stringify(summary.documents.warned)).toContain('Page 3 of 9');
});
