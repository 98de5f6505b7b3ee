import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { score } from '../sample.ts';
import { type OpenReport, openReport, skipReason, startChromium } from './browser.ts';
import { largeSample, missing, pageOf, SMALL_IDS, smallSample } from './sample.ts';

// Chromium starts slowly on a machine that may be busy.
/** Of what the browser tells when it is ready, on a machine that may be busy. */
const SOON = { timeout: 20_000 };

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

if (skipReason !== null) process.stderr.write(`${skipReason}\n`);

describe.skipIf(skipReason !== null)('report.html in Chromium', () => {
  let browser: Browser;
  let small = '';
  let large = '';
  let report: OpenReport | null = null;

  beforeAll(async () => {
    [browser, small, large] = await Promise.all([startChromium(), pageOf(smallSample()), pageOf(largeSample(1250))]);
  });
  afterEach(async () => {
    const troubles = report?.troubles ?? [];
    await report?.close();
    report = null;
    expect(troubles).toEqual([]);
  });
  afterAll(async () => browser?.close());

  const open = async (html: string, hash = '', options = {}): Promise<Page> => {
    report = await openReport(browser, html, hash, options);
    return report.page;
  };
  const hashOf = (page: Page): Promise<string> => page.evaluate('location.hash');
  const names = (page: Page): Promise<string[]> => page.locator('table.jobs tbody tr:not(.spacer) td.c-document .path').allTextContents();
  const countLine = (page: Page): Promise<string | null> => page.locator('.count-line').textContent();
  const active = (page: Page): Promise<string | null> => page.locator('tr.is-active').getAttribute('data-line');

  test('opens from a file without a request, an error or a breach of its policy, and says the verdict first', async () => {
    const page = await open(small);
    expect(await page.locator('html').getAttribute('data-ready')).toBe('true');
    expect(await page.locator('#static').isVisible()).toBe(false);
    expect(await page.locator('h1:visible').textContent()).toBe('INCOMPLETE');
    expect(await page.locator('.counts').textContent()).toMatch(/✗ 1 fail.*! 1 not evaluated.*\? 1 to review.*✓ 1 pass/s);
    expect(await page.locator('.note').textContent()).toContain('raw answers left out');
  });

  test('shows a table of what did not pass without script', async () => {
    const page = await open(small, '', { javaScriptEnabled: false });
    expect(await page.locator('#static').isVisible()).toBe(true);
    expect(await page.locator('#static table').first().textContent()).toContain('Clients may skip the checksum');
    expect(await page.locator('#app').textContent()).toBe('');
  });

  test('keeps its table small in the page, wherever ten thousand jobs are scrolled to', async () => {
    const page = await open(large);
    const rows = page.locator('table.jobs tbody tr:not(.spacer)');
    expect(await page.locator('table.jobs').getAttribute('aria-rowcount')).toBe('10001');
    const nodes = (): Promise<number> => page.evaluate('document.querySelectorAll("#app *").length');
    expect(await rows.count()).toBeLessThan(80);
    const before = await nodes();
    await page.evaluate('document.querySelector(".table").scrollTop = 150000');
    await expect.poll(() => rows.first().getAttribute('data-line').then(Number), SOON).toBeGreaterThan(2000);
    expect(await rows.count()).toBeLessThan(80);
    expect(await nodes()).toBeLessThan(before + 1000);
    expect(await rows.first().getAttribute('aria-rowindex')).toBe(String(Number(await rows.first().getAttribute('data-line')) + 2));
  });

  test('parses no job and no document before one is opened, and then only its own', async () => {
    const page = await open(large);
    const reads =
      'globalThis.reads = []; const parse = JSON.parse; JSON.parse = (text, ...rest) => { globalThis.reads.push(text.length); return parse(text, ...rest); }';
    await page.evaluate(reads);
    await page.locator('tr[data-line="0"]').click();
    await page.locator('.job').waitFor();
    const sizes: number[] = await page.evaluate('globalThis.reads');
    const blocks: number[] = await page.evaluate(
      '[...document.querySelectorAll("script[type=\'application/json\']")].filter(({ id }) => /jobs|document/.test(id)).map(({ textContent }) => textContent.length)',
    );
    expect(sizes).toHaveLength(2);
    expect(sizes.every((size) => blocks.includes(size))).toBe(true);
  });

  test('filters by a click, counts what is left, and goes back', async () => {
    const page = await open(large);
    await page.locator('.filters button[data-value="fail"]').click();
    expect(await countLine(page)).toBe('1,163 of 10,000 jobs');
    await page.locator('.filters button[data-value="fast"]').click();
    expect(await hashOf(page)).toBe('#verdict=fail&model=fast');
    expect(await countLine(page)).toBe('278 of 10,000 jobs');
    expect(await page.locator('.filters button[data-value="fast"]').getAttribute('aria-pressed')).toBe('true');
    await page.goBack();
    await expect.poll(() => countLine(page), SOON).toBe('1,163 of 10,000 jobs');
    await page.locator('.clear').click();
    expect(await countLine(page)).toBe('10,000 jobs');
    expect(await hashOf(page)).toBe('');
  });

  test('filters by a click into a chart', async () => {
    const page = await open(large);
    await page.locator('.heat tbody tr', { hasText: 'claims' }).locator('td button').last().click();
    expect(await hashOf(page)).toBe('#task=claims&model=local');
    await page.locator('figure', { hasText: 'Not evaluated because' }).locator('.bar', { hasText: 'timeout' }).click();
    expect(await hashOf(page)).toBe('#reason=timeout');
    await page.locator('figure', { hasText: 'Time to answer' }).locator('.bar', { hasText: 'fast' }).click();
    expect(await hashOf(page)).toBe('#model=fast');
    await page.locator('.counts button', { hasText: 'to review' }).click();
    expect(await hashOf(page)).toBe('#verdict=review');
  });

  test('searches while somebody types, without a step of history for each letter', async () => {
    const page = await open(large);
    const steps: number = await page.evaluate('history.length');
    const nodes: number = await page.evaluate('document.querySelectorAll("#app *").length');
    await page.keyboard.press('/');
    await page.keyboard.type('document-0042 claims');
    expect(await countLine(page)).toBe('2 of 10,000 jobs');
    expect(await page.evaluate('history.length')).toBe(steps);
    expect(await hashOf(page)).toBe('#q=document-0042+claims');
    expect(await page.evaluate('document.querySelectorAll("#app *").length')).toBeLessThan(nodes);
    await page.keyboard.type(' nonsense');
    expect(await page.locator('.none').textContent()).toBe('No job fits these filters.');
  });

  test('sorts by a click on a head and says so', async () => {
    const page = await open(large, '', { viewport: { width: 2400, height: 900 } });
    const head = page.locator('th.c-cost');
    await head.locator('button').click();
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    expect(await page.locator('th[aria-sort]').count()).toBe(1);
    const costs = (await page.locator('td.c-cost').allInnerTexts()).map((text) => Number(text.replace('$', '')));
    expect(costs).toEqual([...costs].sort((a, b) => b - a));
    await head.locator('button').click();
    expect(await head.getAttribute('aria-sort')).toBe('ascending');
    expect(await hashOf(page)).toBe('#sort=-cost');
  });

  test('restores a view from its address', async () => {
    const page = await open(small, `#verdict=fail&verdict=review&q=spec&sort=-document&job=${SMALL_IDS.failed}`);
    expect(await names(page)).toEqual(['retry.md', '<img src=x onerror=alert(1)>⟨U+202E⟩.md']);
    expect(await page.locator('.tools input').inputValue()).toBe('spec');
    expect(await page.locator('#job-title').textContent()).toBe('spec/retry.md');
    await page.evaluate('location.hash = "#verdict=pass"');
    await expect.poll(() => countLine(page), SOON).toBe('1 of 4 jobs');
    expect(await page.locator('.overview').isVisible()).toBe(true);
  });

  test('is walked through with keys alone', async () => {
    const page = await open(large);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('k');
    expect(await active(page)).toBe('2');
    expect(await page.locator('table.jobs').getAttribute('aria-activedescendant')).toBe('row-2');
    await page.keyboard.press('Enter');
    expect(await page.locator('.job').isVisible()).toBe(true);
    expect(await page.locator('.pane [role=status]').textContent()).toMatch(/^Job opened: fail, specs\//);
    const opened = await hashOf(page);
    await page.keyboard.press('j');
    expect(await hashOf(page)).not.toBe(opened);
    expect(await page.locator('tr.is-open').getAttribute('data-line')).toBe('3');
    await page.keyboard.press('Escape');
    expect(await hashOf(page)).toBe('');
    expect(await active(page)).toBe('3');
    await page.keyboard.press('End');
    expect(await active(page)).toBe('9999');
    expect(await page.locator('tr.is-active').isVisible()).toBe(true);
    await page.keyboard.press('Home');
    await page.keyboard.press('PageDown');
    expect(Number(await active(page))).toBeGreaterThan(5);
  });

  test('leaves the keys to whoever types, and helps with a question mark', async () => {
    const page = await open(small);
    await page.keyboard.press('/');
    await page.keyboard.type('jk?n');
    expect(await page.locator('.tools input').inputValue()).toBe('jk?n');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    expect(await page.locator('dialog.help').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.locator('dialog.help').isVisible()).toBe(false);
  });

  test('takes the colours of the system, and others when asked', async () => {
    const page = await open(small, '', { colorScheme: 'dark' });
    const background = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const dark = await background();
    const toggle = page.locator('.actions button').first();
    await toggle.click();
    expect(await background()).toBe(dark);
    await toggle.click();
    expect(await background()).toBe('rgb(255, 255, 255)');
    await toggle.click();
    expect(await background()).toBe(dark);
  });

  test.each([360, 700, 1000, 1440, 3840])('needs no sideways scroll at %i pixels', async (width) => {
    const page = await open(small, `#job=${SMALL_IDS.failed}`, { viewport: { width, height: 800 } });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect(await page.evaluate('document.querySelector(".pane").scrollWidth - document.querySelector(".pane").clientWidth')).toBe(0);
    expect(await page.locator('#job-title').isVisible()).toBe(true);
  });

  test('lists the findings of all jobs, says how far it has read, and opens a job at a quote', async () => {
    const page = await open(large, '#verdict=fail');
    await page.locator('.tabs button', { hasText: 'Findings' }).click();
    expect(await hashOf(page)).toBe('#verdict=fail&view=findings');
    await expect.poll(() => countLine(page), SOON).toMatch(/^2,326 of 10,948 findings$/);
    expect(await page.locator('.finding').count()).toBeLessThan(60);
    await page.locator('.findings').evaluate((list) => list.scrollTo(0, 90_000));
    await expect.poll(() => page.locator('.finding').first().getAttribute('aria-posinset').then(Number), SOON).toBeGreaterThan(1000);
    // A line in the middle of what is seen: a click must not scroll, because that draws the lines anew.
    const id: string = await page.evaluate(
      "[...document.querySelectorAll('.finding.is-rejected')].find((row) => row.getBoundingClientRect().top > innerHeight / 2).id",
    );
    const row = page.locator(`#${id}`);
    expect(await row.textContent()).toContain('A server may refuse anything.');
    await row.click();
    expect(await page.locator('.job .quote.is-current blockquote').textContent()).toBe('A server may refuse anything.');
    expect(await hashOf(page)).toMatch(/^#verdict=fail&view=findings&job=j[a-z0-9]+&quote=2$/);
    await page.keyboard.press('k');
    expect(await hashOf(page)).toMatch(/&quote=1$/);
  });

  test('says of every finding what the model says of it, and finds it by these words', async () => {
    const page = await open(small, '#view=findings');
    await expect.poll(() => countLine(page), SOON).toBe('7 findings');
    const row = page.locator('.finding', { hasText: 'larger than 64 kB' });
    expect(await row.locator('.severity').textContent()).toBe('severity major');
    expect(await row.locator('p').textContent()).toContain('suggestion: Say MUST. · blocking: yes');
    await page.locator('.tools input').fill('must. spec/retry');
    expect(await countLine(page)).toBe('1 of 7 findings');
    await page.locator('.tools input').fill('nonsense');
    expect(await page.locator('.findings .none').textContent()).toBe('No finding fits these filters.');
  });

  test('says how many jobs it has read while it reads them', async () => {
    const page = await open(large);
    const seen: string[] = await page.evaluate(
      `new Promise((resolve) => {
        const seen = [];
        const look = () => {
          seen.push(document.querySelector('.count-line').textContent);
          if (/^[0-9,]+ findings$/.test(seen.at(-1))) resolve(seen);
        };
        new MutationObserver(look).observe(document.querySelector('.count-line'), { childList: true });
        [...document.querySelectorAll('.tabs button')].at(-1).click();
      })`,
    );
    expect(seen[0]).toBe('0 findings · reading 0 of 10,000 jobs');
  });

  test('finds a document among many by a part of its name', async () => {
    const page = await open(large);
    const field = page.locator('.facet input');
    const facet = page.locator('.facet', { has: page.locator('input') });
    expect(await field.count()).toBe(1);
    await field.fill('PART-12/document-0052');
    expect(await facet.locator('.value').count()).toBe(1);
    await facet.locator('.value').click();
    expect(await countLine(page)).toBe('8 of 10,000 jobs');
    await field.fill('nothing like it');
    expect(await page.locator('.facet .none').textContent()).toBe('none has this in its name');
    await field.press('Escape');
    expect(await facet.locator('.value').count()).toBeGreaterThan(5);
  });

  test.each([360, 1000, 3840])('gives names and what is wrong the room, not the verdict, at %i pixels', async (width) => {
    const page = await open(large, '', { viewport: { width, height: 900 } });
    const share = (column: string): Promise<number> =>
      page.evaluate(`document.querySelector('td.${column}').clientWidth / document.querySelector('.table').clientWidth`);
    expect(await share('c-verdict')).toBeLessThan(0.21);
    if (width === 360) expect(await share('c-document')).toBeGreaterThan(0.75);
    if (width === 3840) expect(await share('c-note')).toBeGreaterThan(0.35);
    const cut: boolean = await page.evaluate(
      "[...document.querySelectorAll('.c-document .last')].some((name) => name.scrollWidth > name.clientWidth)",
    );
    expect(cut).toBe(false);
    expect(await page.locator('td.c-document').first().getAttribute('title')).toMatch(/^specs\/part-/);
  });

  test('says when a search leaves out the open job', async () => {
    const page = await open(small, `#job=${SMALL_IDS.failed}`);
    expect(await page.locator('.left-out').isVisible()).toBe(false);
    await page.locator('.tools input').fill('scan');
    expect(await page.locator('.left-out').isVisible()).toBe(true);
    await page.locator('.left-out button').click();
    expect(await page.locator('.left-out').isVisible()).toBe(false);
    expect(await page.locator('#job-title').isVisible()).toBe(true);
  });

  test('shows no green sign beside a pass that its gate allows', async () => {
    const sample = smallSample();
    const lines = sample.lines.filter(({ verdict }) => verdict === 'fail' || verdict === 'pass');
    const page = await open(
      await pageOf({ ...sample, header: { ...sample.header, jobs: 2, gate: { ...sample.header.gate, minPassRate: 0 } }, lines }),
    );
    expect(await page.locator('h1:visible').textContent()).toBe('PASS');
    expect(await page.locator('.verdict .doubt').textContent()).toBe('by its gate of 0 %, with 1 fail');
    expect(await page.evaluate('getComputedStyle(document.querySelector(".verdict > .sign")).color')).toBe('rgb(128, 83, 0)');
  });

  test('prints the open job: verdict, findings with what is said of them, and the answer', async () => {
    const page = await open(small, `#job=${SMALL_IDS.failed}`);
    await page.emulateMedia({ media: 'print' });
    for (const part of ['.job-head .badge', '.fields', '.quote.is-rejected', '.job .block']) {
      expect(await page.locator(part).first().isVisible()).toBe(true);
    }
    for (const part of ['.printed', '.overview', '.job .document', '.list']) expect(await page.locator(part).isVisible()).toBe(false);
  });

  test('prints every quote of the open job, however many there are', async () => {
    const findings = Array.from({ length: 130 }, (_, index) => missing(`quote ${index}`));
    const detail = () => ({ scores: [score({ verdict: 'fail', findings })] });
    const page = await open(await pageOf(smallSample({ detail })), `#job=${SMALL_IDS.failed}`);
    expect(await page.locator('.quote').count()).toBe(50);
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => page.locator('.quote').count(), SOON).toBe(130);
  });

  test('prints verdict, charts and failures with their quotes, light and without controls', async () => {
    const page = await open(small, '', { colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.locator('.printed table').first().waitFor();
    expect(await page.locator('.printed').textContent()).toContain('Clients may skip the checksum');
    expect(await page.locator('.printed').textContent()).toContain('said not to be in the document; searched: the whole document');
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    for (const control of ['.filters', '.tools', '.actions']) expect(await page.locator(control).isVisible()).toBe(false);
    expect(await page.locator('h1:visible').textContent()).toBe('INCOMPLETE');
    expect(await page.locator('.heat').isVisible()).toBe(true);
  });
});
