import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ResultLine } from '../../../src/domain/result-line.ts';
import { failed, header, line } from '../sample.ts';
import { inChromium } from './browser.ts';
import { pageOf } from './page-of.ts';
import { smallSample } from './small-sample.ts';

const LONG_NAME = 'vendor/model-family-4-2026-11-01-instruct';
const TASKS = ['claims', 'requirements-completeness'];

/** A run of two tasks over ten documents with these models; every third job fails. */
function reportOf(models: readonly string[], over: Partial<ResultLine> = {}): Promise<string> {
  const lines = models.flatMap((model, m) =>
    TASKS.flatMap((task, t) =>
      Array.from({ length: 10 }, (_, d) => {
        const job = { jobId: `j${m}${t}${d}`.padEnd(26, 'a'), document: `specs/name-of-document-${d}.md`, task, model, ...over };
        return (m + t + d) % 3 === 0 ? failed(job) : line(job);
      }),
    ),
  );
  const tasks = Object.fromEntries(TASKS.map((task) => [task, { repeats: 1, aggregate: 'majority' as const }]));
  const documents = header().documents.slice(0, 1);
  return pageOf({
    ...smallSample(),
    header: header({
      jobs: lines.length,
      tasks,
      documents: Array.from({ length: 10 }, (_, d) => ({ ...documents[0], id: `specs/name-of-document-${d}.md` })) as typeof documents,
    }),
    lines,
    documents: [],
    detail: () => ({}),
  });
}

const figure = (page: Page, title: string) => page.locator('figure', { has: page.locator('h3', { hasText: title }) });
const numbers = (page: Page, title: string): Promise<string[]> => figure(page, title).locator('.number').allInnerTexts();

/** Titles of the names of which something cannot be seen. */
const CUT_NAMES = `[...document.querySelectorAll('.overview .name, .heat th button, .value .name')]
  .filter((name) => name.scrollHeight > name.clientHeight + 1 || name.scrollWidth > name.clientWidth + 1).map((name) => name.textContent)`;
const SCROLLED = `[...document.querySelectorAll('.overview .scroll')].filter((box) => box.scrollWidth > box.clientWidth).length`;

inChromium('the charts of report.html', (open) => {
  test.each([400, 1400])('eight models are read in full, one below the other, at %i pixels', async (width) => {
    const models = Array.from({ length: 8 }, (_, index) => LONG_NAME.replace('4', String(index)));
    const page = await open(await reportOf(models), '', { viewport: { width, height: 900 } });
    expect(await page.locator('.heat tbody th').allInnerTexts()).toEqual(models);
    expect(await page.locator('.heat thead th').allInnerTexts()).toEqual(TASKS);
    expect(await page.evaluate(CUT_NAMES)).toEqual([]);
    expect(await page.evaluate(SCROLLED)).toBe(0);
    await page.locator('.heat tbody tr', { hasText: 'family-2' }).locator('td button').first().click();
    expect(await page.evaluate('location.hash')).toBe('#task=claims&model=vendor%2Fmodel-family-2-2026-11-01-instruct');
  });

  test('of one model each chart has one bar', async () => {
    const page = await open(await reportOf(['fast']));
    expect(await page.locator('.heat thead th').allInnerTexts()).toEqual(['fast']);
    for (const title of ['Cost', 'Time to answer', 'From cache']) expect(await numbers(page, title)).toHaveLength(1);
  });

  test('what is not known is no zero: neither the price of some jobs nor that of all', async () => {
    expect(await numbers(await open(await reportOf(['fast'], { costUsd: null })), 'Cost')).toEqual(['price unknown']);
  });

  test('a model whose failed jobs cost nothing has an unknown price, where that of its answers is not known', async () => {
    const sample = smallSample();
    const lines = [line({ costUsd: null }), line({ jobId: 'free'.padEnd(26, 'a'), document: 'b.md', costUsd: 0, attempts: 0, calls: 0 })];
    const page = await open(await pageOf({ ...sample, header: header({ jobs: 2 }), lines, documents: [], detail: () => ({}) }));
    expect(await numbers(page, 'Cost')).toEqual(['price unknown']);
  });

  test('where all answers come from the cache nothing was paid, and nobody waited', async () => {
    const page = await open(await reportOf(['fast', 'local'], { cached: true, costUsd: 0, latencyMs: 3000, calls: 0 }));
    expect(await numbers(page, 'Cost')).toEqual(['$0.00', '$0.00']);
    expect(await numbers(page, 'From cache')).toEqual(['20 of 20 jobs', '20 of 20 jobs']);
    expect(await figure(page, 'Time to answer').count()).toBe(0);
  });

  test('a run without a job has no chart, and says that it has no job', async () => {
    const told = header({ jobs: 3 });
    const page = await open(
      await pageOf({
        ...smallSample(),
        header: { ...told, run: { ...told.run, state: 'open', finishedAt: null } },
        lines: [],
        documents: [],
      }),
    );
    expect(await page.locator('.chart').count()).toBe(0);
    expect(await page.locator('.jobs .none').textContent()).toBe('This run has no job yet.');
    const head = page.locator('th.c-document');
    expect(await head.evaluate((cell) => cell.clientWidth)).toBeGreaterThan(200);
  });

  test('on paper all names and numbers of the charts are within the page', async () => {
    const page = await open(await reportOf([LONG_NAME, 'local']), '', { viewport: { width: 690, height: 1000 } });
    await page.emulateMedia({ media: 'print' });
    expect(await page.evaluate(CUT_NAMES)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(690);
  });
});
