import { afterEach, expect, test, vi } from 'vitest';
import { loadPdfium, withNativeBuffer } from '../../../src/documents/pdf/pdfium-module.ts';

afterEach(() => vi.restoreAllMocks());

test('what PDFium says of its own accord is not printed, and a lack of memory is a failure of the document', async () => {
  const printed = [vi.spyOn(console, 'log'), vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];
  const pdfium = await loadPdfium();
  expect(() => withNativeBuffer(pdfium, 4_000_000_000, () => null)).toThrow('PDFium has no memory for 4000000000 bytes of it');
  expect(withNativeBuffer(pdfium, 16, (pointer) => pointer > 0)).toBe(true);
  expect(printed.map((spy) => spy.mock.calls)).toEqual([[], [], []]);
});
