import { expect, test } from 'vitest';
import { DocumentFailure, parsedBy } from '../../src/documents/document-failure.ts';
import { createExtractor, extract } from '../../src/documents/extract.ts';
import { sha256Hex } from '../../src/domain/canonical-json.ts';
import { failureOf, input } from './extracted.ts';

test('a document gives its canonical text and the hash of that text', async () => {
  const extraction = await extract(input('# A\r\n', 'a.md'));
  expect(extraction).toEqual({
    ok: true,
    content: {
      format: 'markdown',
      extractor: 'md@2+norm:1',
      title: 'A',
      text: '# A',
      textSha256: sha256Hex('# A'),
      pages: [],
      sections: [{ title: 'A', level: 1, start: 0, end: 3 }],
      blocks: [],
      lostPages: [],
      lines: { start: [0], number: [1] },
      warnings: [],
    },
  });
});

test.each(['a.txt', 'a.md', 'a.html'])('nothing but white space is an empty document: %s', async (name) => {
  expect(await failureOf(' \n\t\u00a0\u200b\r\n', name)).toBe('document_empty: it holds no text but white space');
});

test('a failure is a value with its reason, never a rejection', async () => {
  expect(await createExtractor().extract(input('caf\u00e9', 'a.txt', { bytes: Buffer.from('café', 'latin1') }))).toEqual({
    ok: false,
    reason: 'document_bad_text',
    message: 'byte 0xE9 at offset 3 is not valid UTF-8; if that is its encoding, set "charset": "windows-1252" for it in the manifest',
  });
});

test('documents can be extracted at the same time', async () => {
  const extractor = createExtractor();
  const texts = await Promise.all(['a', 'b', 'c'].map((text) => extractor.extract(input(text, `${text}.md`))));
  expect(texts.map((extraction) => extraction.ok && extraction.content.text)).toEqual(['a', 'b', 'c']);
});

test('what a foreign parser throws is a broken document, on one line', () => {
  const parse = () => {
    throw new RangeError('Maximum call stack\n  size exceeded');
  };
  expect(() => parsedBy('the parser', parse)).toThrow(
    new DocumentFailure('document_broken', 'the parser cannot read it: Maximum call stack size exceeded'),
  );
});
