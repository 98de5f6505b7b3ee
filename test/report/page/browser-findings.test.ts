import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { inChromium, SOON } from './browser.ts';
import { largeSample } from './large-sample.ts';
import { pageOf } from './page-of.ts';
import { smallSample } from './small-sample.ts';

inChromium('the findings of report.html', (open) => {
  let small = '';
  let large = '';
  beforeAll(async () => {
    [small, large] = await Promise.all([pageOf(smallSample()), pageOf(largeSample(1250))]);
  });
  const hashOf = (page: Page): Promise<string> => page.evaluate('location.hash');
  const countLine = (page: Page): Promise<string | null> => page.locator('.count-line').textContent();

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
});
