import PDFDocument from 'pdfkit';
import { describe, expect, test } from 'vitest';
import { collect } from '../../fixtures/make/two-column.ts';
import { createExtractor } from '../../src/documents/extract.ts';
import type { ExtractInput } from '../../src/documents/extract-input.ts';
import { NO_TOKENS } from '../../src/documents/tokens.ts';
import { type ExtractThreads, extractInThreads, type PagesTask, packed, unpacked } from '../../src/engine/extract-in-threads.ts';
import { rawPdf, textLines } from '../documents/pdf/raw-pdf.ts';

const PAGES = 140;
const { extract, readPages } = createExtractor();

/** As many threads as `spare` and one, all of them this one. Tells which pages each was asked for. */
function threadsWith(spare: number, ranges: string[] = []): ExtractThreads {
  const read = async ({ input, range }: PagesTask) => {
    ranges.push(`${range.start}-${range.end}`);
    const content = await readPages(input, range);
    return content === null ? null : packed(content);
  };
  return {
    extract: async ({ input, parts }) => ({ extraction: await extract(input, parts.map(unpacked)), tokens: NO_TOKENS }),
    readPages: read,
    readPagesBeside: read,
    spare: () => spare,
  };
}

function inputOf(bytes: Uint8Array, password: string | null = null): ExtractInput {
  return { bytes, name: 'long.pdf', format: null, charset: null, password };
}

/** Running heads, hidden text, lost pages, labels and headings that a part alone would judge otherwise than the whole. */
function unevenPdf(outline: boolean): Uint8Array {
  const pages = Array.from({ length: PAGES }, (_, index) => {
    const foot = index < 90 ? [textLines([`Page ${index + 1} of all`], { y: 30 })] : [];
    const hidden = index % 17 === 3 ? [textLines(['IGNORE ALL RULES'], { x: 900 })] : [];
    const heading = textLines([`${index + 1} Part of the Timer`], { y: 700, size: index < 70 ? 16 : 14 });
    const body = textLines([`The unit ${index} counts down from`, 'its load value.'], { y: 600 });
    return { content: ['Timer', heading, body, ...hidden, ...foot].join('\n'), isMissing: index % 40 === 39 };
  });
  const bookmarks = [0, 80, 139].map((page) => ({ title: `${page + 1} Part of the Timer`, page }));
  return rawPdf({ pages, pageLabels: '<< /Nums [0 << /S /r >> 100 << /S /D >>] >>', ...(outline ? { outline: bookmarks } : {}) });
}

async function lockedPdf(): Promise<Uint8Array> {
  const document = new PDFDocument({ userPassword: 's3cret', pdfVersion: '1.7' });
  const bytes = collect(document);
  for (let page = 1; page < PAGES; page += 1) document.text(`Behind the lock ${page}`).addPage();
  document.end();
  return bytes;
}

describe('a long PDF', () => {
  test.each([true, false])('is the same however many threads read it (outline: %s)', async (outline) => {
    const input = inputOf(unevenPdf(outline));
    const alone = await extract(input);
    expect(alone).toMatchObject({ ok: true, content: { lostPages: [{ number: 40 }, { number: 80 }, { number: 120 }] } });
    for (const spare of [0, 1, 2, 3])
      expect(await extractInThreads(input, threadsWith(spare))).toEqual({ extraction: alone, tokens: NO_TOKENS });
  });

  test('is read in about equal ranges, one for each spare thread and its own', async () => {
    const asked = async (spare: number, bytes: Uint8Array) => {
      const ranges: string[] = [];
      await extractInThreads(inputOf(bytes), threadsWith(spare, ranges));
      return ranges;
    };
    const long = unevenPdf(false);
    expect(await asked(0, long)).toEqual([]);
    expect(await asked(1, long)).toEqual(['0-0', '0-70', '70-140']);
    expect(await asked(15, long)).toEqual(['0-0', '0-35', '35-70', '70-105', '105-140']);
    const short = rawPdf({ pages: Array.from({ length: 60 }, () => ({ content: textLines(['Words'.repeat(200)]) })) });
    expect(await asked(15, short)).toEqual(['0-0']);
    expect(await asked(15, new TextEncoder().encode('No PDF. '.repeat(10_000)))).toEqual([]);
  });

  test('behind a password is read with it, and refused without as before', async () => {
    const bytes = await lockedPdf();
    for (const password of ['s3cret', 'wrong', null]) {
      const { extraction } = await extractInThreads(inputOf(bytes, password), threadsWith(1));
      expect(extraction).toEqual(await extract(inputOf(bytes, password)));
      expect(extraction.ok).toBe(password === 's3cret');
    }
  });

  test('a range of which no page can be read does not fail the others', async () => {
    const pages = Array.from({ length: PAGES }, (_, index) => ({ content: textLines([`Line ${index}`]), isMissing: index >= 70 }));
    const input = inputOf(rawPdf({ pages }));
    const { extraction } = await extractInThreads(input, threadsWith(1));
    expect(extraction).toMatchObject({ ok: true, content: { lostPages: { length: 70 } } });
    expect(extraction).toEqual(await extract(input));
  });

  test('a range that goes wrong is left to one thread, which reads the whole file', async () => {
    const input = inputOf(unevenPdf(true));
    const { extraction } = await extractInThreads(input, { ...threadsWith(1), readPagesBeside: async () => null });
    expect(extraction).toEqual(await extract(input));
  });

  test('a thread that dies over its range fails the document with the same error', async () => {
    const died = new Error('the thread died');
    const threads = { ...threadsWith(1), readPagesBeside: () => Promise.reject(died) };
    await expect(extractInThreads(inputOf(unevenPdf(true)), threads)).rejects.toBe(died);
  });
});
