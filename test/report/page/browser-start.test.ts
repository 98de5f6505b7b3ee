import { beforeAll, expect, test } from 'vitest';
import { inChromium } from './browser.ts';
import { pageOf } from './page-of.ts';
import { SMALL_IDS, smallSample } from './small-sample.ts';

inChromium('report.html when it is opened', (open) => {
  let small = '';
  beforeAll(async () => {
    small = await pageOf(smallSample());
  });

  test('opens from a file without a request, an error or a breach of its policy, and says the verdict first', async () => {
    const page = await open(small);
    expect(await page.locator('html').getAttribute('data-ready')).toBe('true');
    expect(await page.locator('#static').isVisible()).toBe(false);
    expect(await page.locator('h1:visible').textContent()).toBe('INCOMPLETE');
    expect(await page.locator('.counts').textContent()).toMatch(/✗ 1 fail.*! 1 not evaluated.*\? 1 to review.*✓ 1 pass/s);
    expect(await page.locator('.note').textContent()).toContain('raw answers left out');
  });

  test('shows what did not pass without script, with no word broken where there is little room', async () => {
    const page = await open(small, '', { javaScriptEnabled: false, viewport: { width: 400, height: 900 } });
    expect(await page.locator('#static').isVisible()).toBe(true);
    expect(await page.locator('#static .not-passed').textContent()).toContain('Clients may skip the checksum');
    expect(await page.locator('#app').textContent()).toBe('');
    const task = page.locator('#static b', { hasText: 'ambiguity' }).first();
    expect((await task.boundingBox())?.height).toBeLessThan(25);
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
});
