import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { inChromium, SOON } from './browser.ts';
import { largeSample } from './large-sample.ts';
import { pageOf } from './page-of.ts';
import { smallSample } from './small-sample.ts';

inChromium('the table of report.html', (open) => {
  let small = '';
  let large = '';
  beforeAll(async () => {
    [small, large] = await Promise.all([pageOf(smallSample()), pageOf(largeSample(1250))]);
  });
  const hashOf = (page: Page): Promise<string> => page.evaluate('location.hash');
  const active = (page: Page): Promise<string | null> => page.locator('tr.is-active').getAttribute('data-line');

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
});
