import { afterEach, expect, test, vi } from 'vitest';
import { compilePdfium, startPdfium, withNativeBuffer } from '../../../src/documents/pdf/pdfium-module.ts';

afterEach(() => vi.restoreAllMocks());

test('what PDFium says of its own accord is not printed, and a lack of memory is a failure of the document', async () => {
  const printed = [vi.spyOn(console, 'log'), vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];
  const pdfium = await startPdfium(await compilePdfium());
  expect(() => withNativeBuffer(pdfium, 4_000_000_000, () => null)).toThrow('PDFium has no memory for 4000000000 bytes of it');
  expect(withNativeBuffer(pdfium, 16, (pointer) => pointer > 0)).toBe(true);
  expect(printed.map((spy) => spy.mock.calls)).toEqual([[], [], []]);
});

test('an instance takes no more memory than it may', async () => {
  const megabyte = 1024 * 1024;
  const pdfium = await startPdfium(await compilePdfium(), 64 * megabyte);
  expect(withNativeBuffer(pdfium, 30 * megabyte, () => pdfium.isStarved())).toBe(false);
  expect(() => withNativeBuffer(pdfium, 80 * megabyte, () => null)).toThrow('PDFium has no memory');
  expect(pdfium.isStarved()).toBe(true);
  expect(pdfium.memory().length).toBeLessThanOrEqual(64 * megabyte * 1.2);
});
