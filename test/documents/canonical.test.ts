import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { createExtractor } from '../../src/documents/extract.ts';
import { positionOf } from '../../src/domain/document.ts';
import { contentOf, input } from './extracted.ts';

const LINES = ['# Größe', '', 'Das Gerät läßt sich “öffnen” – für 5 µs.', '', 'Ende.'];

test('one text has one hash in every charset, with every line end, with and without a mark, packed or not', async () => {
  const hashes = new Set<string>();
  for (const lineEnd of ['\n', '\r\n', '\r']) {
    const text = LINES.join(lineEnd);
    const stated = await contentOf(iconv.encode(text, 'windows-1252'), 'a.txt', { charset: 'windows-1252' });
    const wide = ['utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'].map((charset) =>
      iconv.encode(`\ufeff${text}`, charset, { addBOM: false }),
    );
    for (const bytes of [Buffer.from(text), Buffer.from(`\ufeff${text}`), Buffer.from(text.normalize('NFD')), gzipSync(text), ...wide]) {
      hashes.add((await contentOf(bytes, 'a.txt')).textSha256);
    }
    hashes.add(stated.textSha256);
  }
  expect(hashes.size).toBe(1);
});

const nasty = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.constantFrom(
        '# a',
        '== b',
        '\\section{c}',
        '```',
        '----',
        '|===',
        '<td>',
        '&rsquo;',
        '\n',
        '\n\n',
        '\r\n',
        '\f',
        '\u0000',
        '\ud800',
        '%',
        '- ',
        '> ',
        '1. X',
        '\u0301',
      ),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

describe.each(['a.md', 'a.adoc', 'a.tex', 'a.txt', 'a.html'])('whatever stands in %s', (name) => {
  const { extract } = createExtractor();

  test('every offset maps back, and sections, pages and blocks stand in the text', async () => {
    await fc.assert(
      fc.asyncProperty(nasty, async (source) => {
        const extraction = await extract(input(source.replaceAll('\0', name === 'a.txt' ? '' : ' '), name));
        if (!extraction.ok) return;
        const content = extraction.content;
        const lines = content.text.split('\n');
        for (const [index, start] of content.lines.start.entries()) {
          expect(content.text.slice(start, start + (lines[index] ?? '').length)).toBe(lines[index]);
          expect(positionOf(content, start, start).line).toBe(content.lines.number[index]);
        }
        for (const { start, end } of [...content.sections, ...content.pages, ...content.blocks]) {
          expect(start >= 0 && start <= end && end <= content.text.length).toBe(true);
        }
        for (const [index, block] of content.blocks.entries()) {
          expect(block.start).toBeGreaterThanOrEqual(content.blocks[index - 1]?.end ?? 0);
          if (block.headerEnd !== null) expect(block.headerEnd > block.start && block.headerEnd <= block.end).toBe(true);
        }
        if (name === 'a.txt') return;
        // What the source formats give is their own source: reading it again changes nothing.
        if (name !== 'a.html' && content.warnings.length === 0) expect((await contentOf(content.text, name)).text).toBe(content.text);
      }),
    );
  });
});

test.each(['a.md', 'a.adoc', 'a.tex', 'a.txt', 'a.html'])(
  'hostile texts are read, each in linear time: %s',
  async (name) => {
    const size = 300_000;
    const { extract } = createExtractor();
    for (const piece of [
      'a',
      ' ',
      '<',
      '>',
      '`',
      '*',
      '- ',
      '[',
      '|',
      '=',
      '\\',
      '%',
      '#',
      '\n',
      '\\verb|',
      '\\section{',
      '{',
      '&',
      '. ',
      '<div>',
      '\\begin{verbatim}',
    ]) {
      const extraction = await extract(input(piece.repeat(size / piece.length), name));
      expect(extraction.ok || extraction.reason === 'document_empty', piece).toBe(true);
    }
  },
  60_000,
);
