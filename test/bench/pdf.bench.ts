import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { longPdf } from '../../fixtures/make/pdf-long.ts';
import { readPdf } from '../../src/documents/pdf/pdf.ts';
import { compilePdfium, startPdfium, withNativeCopy } from '../../src/documents/pdf/pdfium-module.ts';
import { PdfiumText } from '../../src/documents/pdf/pdfium-text.ts';
import { createTokenCounter } from '../../src/documents/token-count.ts';
import { createPool } from '../../src/engine/pool.ts';
import { median } from './median.ts';

const PAGES = 350;
const ROUNDS = 5;
/** Of what PDFium itself takes for loading the pages and their text. */
const MOST_OVER_PDFIUM = 1.5;
const MOST_OVER_PDFTOTEXT = 1.5;
/** Built code: threads cannot run TypeScript. */
const WORKER = new URL('../../dist/engine/pool-worker.js', import.meta.url);

const folder = mkdtempSync(join(tmpdir(), 'aieval-pdf-'));
const path = join(folder, 'long.pdf');
const shortPath = join(folder, 'short.pdf');
let bytes: Uint8Array = new Uint8Array();
beforeAll(async () => {
  bytes = await longPdf(PAGES);
  writeFileSync(path, bytes);
  writeFileSync(shortPath, await longPdf(1));
});
afterAll(() => rmSync(folder, { recursive: true }));

const hasPdftotext = spawnSync('pdftotext', ['-v']).error === undefined;

function pdftotext(file: string): number {
  const start = performance.now();
  const { status } = spawnSync('pdftotext', [file, join(folder, 'long.txt')]);
  if (status !== 0) throw new Error(`Expected pdftotext to read the file, got exit code ${status}`);
  return performance.now() - start;
}

it(`a PDF of ${PAGES} pages is read in little more time than PDFium takes for its text`, async () => {
  const pdfText = new PdfiumText();
  const pdfium = await startPdfium(await compilePdfium());
  const ours = async (): Promise<number> => {
    const start = performance.now();
    await readPdf(pdfText, { bytes, password: null, name: 'long.pdf' });
    return performance.now() - start;
  };
  const bare = (): number => {
    const start = performance.now();
    withNativeCopy(pdfium, bytes, (pointer) => {
      const document = pdfium.FPDF_LoadMemDocument(pointer, bytes.length, 0);
      for (let index = 0; index < PAGES; index += 1) {
        const page = pdfium.FPDF_LoadPage(document, index);
        pdfium.FPDFText_ClosePage(pdfium.FPDFText_LoadPage(page));
        pdfium.FPDF_ClosePage(page);
      }
      pdfium.FPDF_CloseDocument(document);
    });
    return performance.now() - start;
  };
  // Start-up: the first reading compiles.
  await ours();
  bare();
  const times = { ours: [] as number[], bare: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.ours.push(await ours());
    times.bare.push(bare());
  }
  const [read, native] = [median(times.ours), median(times.bare)];
  console.log(`${PAGES} pages in one thread: ${read.toFixed(0)} ms, PDFium alone ${native.toFixed(0)} ms (${(read / native).toFixed(2)}×)`);
  expect(read / native).toBeLessThanOrEqual(MOST_OVER_PDFIUM);
});

const canCompare = hasPdftotext && availableParallelism() > 1;

it.runIf(canCompare)(
  `a PDF of ${PAGES} pages comes out of the pool in little more time than pdftotext takes, counting its tokens apart`,
  async () => {
    const pool = createPool(WORKER);
    let text = '';
    const ours = async (): Promise<number> => {
      const start = performance.now();
      const { extraction } = await pool.extract({ bytes, name: 'long.pdf', format: null, charset: null, password: null });
      if (!extraction.ok) throw new Error(extraction.message);
      text = extraction.content.text;
      return performance.now() - start;
    };
    // Start-up: threads compile at first, and their code gets faster with the second reading.
    for (let round = 0; round < 2; round += 1) await ours();
    const countTokens = createTokenCounter();
    const tokens = async (): Promise<number> => {
      const start = performance.now();
      await countTokens(text);
      return performance.now() - start;
    };
    const times = { ours: [] as number[], tokens: [] as number[], pdftotext: [] as number[], started: [] as number[] };
    for (let round = 0; round < 2 * ROUNDS; round += 1) {
      times.ours.push(await ours());
      times.tokens.push(await tokens());
      times.pdftotext.push(pdftotext(path));
      times.started.push(pdftotext(shortPath));
    }
    await pool.close();
    // The best rounds: what else the machine does takes a core from the one, and nothing from the other.
    const whole = Math.min(...times.ours);
    const counted = Math.min(...times.tokens);
    const [read, other] = [whole - counted, Math.min(...times.pdftotext) - Math.min(...times.started)];
    const figures = `${read.toFixed(0)} ms and ${counted.toFixed(0)} ms for its tokens, pdftotext ${other.toFixed(0)} ms without its start-up (${(read / other).toFixed(2)}×)`;
    console.log(`${PAGES} pages out of the pool of ${pool.size} threads: ${figures}`);
    expect(read / other).toBeLessThanOrEqual(MOST_OVER_PDFTOTEXT);
  },
);
