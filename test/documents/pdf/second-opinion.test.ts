import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { expect, test } from 'vitest';
import { dramRefreshPaper } from '../../../fixtures/make/paper.ts';
import { longPdf } from '../../../fixtures/make/pdf-long.ts';
import { normaliseCharacters } from '../../../src/documents/normalise.ts';
import { PdfiumText } from '../../../src/documents/pdf/pdfium-text.ts';
import { rawPdf, textLines } from './raw-pdf.ts';
import { wordF1 } from './word-f1.ts';

const PDFJS = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

/** The text of a PDF as pdf.js reads it. */
async function pdfjsText(bytes: Uint8Array): Promise<string> {
  const task = getDocument({
    data: Uint8Array.from(bytes),
    cMapUrl: join(PDFJS, 'cmaps/'),
    standardFontDataUrl: join(PDFJS, 'standard_fonts/'),
    wasmUrl: join(PDFJS, 'wasm/'),
    verbosity: VerbosityLevel.ERRORS,
  });
  const document = await task.promise;
  let text = '';
  for (let number = 1; number <= document.numPages; number += 1) {
    const { items } = await (await document.getPage(number)).getTextContent({ disableNormalization: true });
    for (const item of items) if ('str' in item) text += item.hasEOL ? `${item.str}\n` : item.str;
    text += '\n';
  }
  await task.destroy();
  return text;
}

const hardLetters = rawPdf({
  pages: [
    {
      content: [textLines(['AA', 'B'], { font: 'F4' }), textLines(['\x01eld \x02ow com-', 'pile (5 %)'], { font: 'F2', y: 600 })].join(
        '\n',
      ),
    },
  ],
});

test.each([
  ['a two-column paper with line-end hyphens and a table', dramRefreshPaper],
  ['a specification in one and two columns', () => longPdf(12)],
  ['ligatures and letters beyond the basic plane', async () => hardLetters],
])('%s: pdf.js reads the same words', async (_, make) => {
  const bytes = await make();
  const { pages } = await new PdfiumText().read(bytes, null);
  const ours = pages.flatMap(({ lines }) => lines.map(({ text }) => normaliseCharacters(text))).join('\n');
  const theirs = normaliseCharacters(await pdfjsText(bytes));
  expect(wordF1(ours, theirs)).toBeGreaterThanOrEqual(0.99);
});
