import { deflateSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { PdfiumText } from '../../../src/documents/pdf/pdfium-text.ts';
import { contentOf, failureOf } from '../extracted.ts';
import { image, rawPdf, textLines } from './raw-pdf.ts';

const MEGABYTE = 1024 * 1024;

/** A page whose content is small in the file and `megabytes` long in memory. */
function bomb(megabytes: number) {
  return { content: deflateSync(Buffer.alloc(megabytes * MEGABYTE, '0 0 m\n'), { level: 1 }).toString('latin1'), isDeflated: true };
}

const good = (word: string) => ({ content: textLines([`Page ${word}`]) });

test('a page that the file lacks is lost, and the others are read', async () => {
  const content = await contentOf(rawPdf({ pages: [good('one'), { content: '', isMissing: true }, good('three')] }), 'a.pdf');
  expect(content.text).toBe('Page one\nPage three');
  expect(content.lostPages).toEqual([{ number: 2, label: null, why: 'cannot be read: the file is damaged there' }]);
  expect(content.pages.map(({ start, end }) => end - start)).toEqual([9, 0, 10]);
  expect(content.warnings).toEqual(['without page 2: cannot be read: the file is damaged there']);
});

test('a page that takes all memory is lost, and the others are read in a new instance', async () => {
  const pdfText = new PdfiumText(64 * MEGABYTE);
  const { pages } = await pdfText.read(rawPdf({ pages: [good('one'), bomb(100), good('three')] }), null);
  expect(pages.map(({ lost }) => lost)).toEqual([null, 'needs more than 64 MB of memory (a decompression bomb?)', null]);
  expect(pages.map(({ lines }) => lines.map(({ text }) => text).join())).toEqual(['Page one', '', 'Page three']);
  expect((await pdfText.read(rawPdf({ pages: [good('four')] }), null)).pages).toHaveLength(1);
});

test('a range of pages is read alone, and a crash in it is told instead of stepped over', async () => {
  const pdfText = new PdfiumText(64 * MEGABYTE);
  const pdf = rawPdf({ pages: [good('one'), good('two'), bomb(100), good('four')], title: 'Four pages' });
  const { title, pageCount, pages } = await pdfText.read(pdf, null, { start: 1, end: 2 });
  expect({ title, pageCount, lines: pages.map(({ lines }) => lines.map(({ text }) => text)) }).toEqual({
    title: 'Four pages',
    pageCount: 4,
    lines: [['Page two']],
  });
  await expect(pdfText.read(pdf, null, { start: 2, end: 4 })).rejects.toMatchObject({ reason: 'document_broken' });
  expect((await pdfText.read(pdf, null, { start: 3, end: 9 })).pages).toHaveLength(1);
});

test('a file of which no page is left is broken', async () => {
  const missing = { content: '', isMissing: true };
  expect(await failureOf(rawPdf({ pages: [missing, missing] }), 'a.pdf')).toMatch(/^document_broken: none of its pages can be read/);
  await expect(new PdfiumText(64 * MEGABYTE).read(rawPdf({ pages: [bomb(100)] }), null)).rejects.toMatchObject({
    reason: 'document_broken',
  });
});

test('a scanned page among others is lost to the image; blank pages and pictures are not', async () => {
  const pages = [good('one'), { content: image() }, { content: '' }, { content: image({ width: 50, height: 50 }) }, good('five')];
  const content = await contentOf(rawPdf({ pages, pageLabels: '<< /Nums [0 << /S /r >>] >>' }), 'a.pdf');
  expect(content.lostPages).toEqual([{ number: 2, label: 'ii', why: 'an image without text (needs OCR)' }]);
  expect(content.warnings).toEqual(['without page 2: an image without text (needs OCR)', 'page 4 has no text, only graphics']);
});

test('a scanned page with a stamp on it is told', async () => {
  const content = await contentOf(rawPdf({ pages: [good('one'), { content: `${image()} ${textLines(['Copy 7'])}` }] }), 'a.pdf');
  expect(content.lostPages).toEqual([]);
  expect(content.warnings).toEqual(['page 2: almost all is an image, whose text is not read']);
});

test('an instance serves fifty documents, then makes way for a new one', async () => {
  let started = 0;
  class Counted extends WebAssembly.Instance {
    constructor(code: WebAssembly.Module, imports: WebAssembly.Imports) {
      super(code, imports);
      started += 1;
    }
  }
  vi.stubGlobal('WebAssembly', Object.create(WebAssembly, { Instance: { value: Counted } }));
  const pdfText = new PdfiumText();
  for (let document = 0; document < 101; document += 1) await pdfText.read(rawPdf({ pages: [good('one')] }), null);
  vi.unstubAllGlobals();
  expect(started).toBe(3);
});
