import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { inChromium, SOON } from './browser.ts';
import { largeSample } from './large-sample.ts';
import { pageOf } from './page-of.ts';
import { SMALL_IDS, smallSample } from './small-sample.ts';

inChromium('the filters of report.html', (open) => {
  let small = '';
  let large = '';
  beforeAll(async () => {
    [small, large] = await Promise.all([pageOf(smallSample()), pageOf(largeSample(1250))]);
  });
  const hashOf = (page: Page): Promise<string> => page.evaluate('location.hash');
  const names = (page: Page): Promise<string[]> => page.locator('table.jobs tbody tr:not(.spacer) td.c-document .path').allTextContents();
  const countLine = (page: Page): Promise<string | null> => page.locator('.count-line').textContent();

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

  test('restores a view from its address', async () => {
    const page = await open(small, `#verdict=fail&verdict=review&q=spec&sort=-document&job=${SMALL_IDS.failed}`);
    expect(await names(page)).toEqual(['retry.md', '<img src=x onerror=alert(1)>⟨U+202E⟩.md']);
    expect(await page.locator('.tools input').inputValue()).toBe('spec');
    expect(await page.locator('#job-title').textContent()).toBe('spec/retry.md');
    await page.evaluate('location.hash = "#verdict=pass"');
    await expect.poll(() => countLine(page), SOON).toBe('1 of 4 jobs');
    expect(await page.locator('.overview').isVisible()).toBe(true);
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

  test('says when a search leaves out the open job', async () => {
    const page = await open(small, `#job=${SMALL_IDS.failed}`);
    expect(await page.locator('.left-out').isVisible()).toBe(false);
    await page.locator('.tools input').fill('scan');
    expect(await page.locator('.left-out').isVisible()).toBe(true);
    await page.locator('.left-out button').click();
    expect(await page.locator('.left-out').isVisible()).toBe(false);
    expect(await page.locator('#job-title').isVisible()).toBe(true);
  });
});
