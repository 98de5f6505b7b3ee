import { beforeAll, expect, test } from 'vitest';
import { score } from '../sample.ts';
import { inChromium, SOON } from './browser.ts';
import { pageOf } from './page-of.ts';
import { missing } from './quoted.ts';
import { SMALL_IDS, smallSample } from './small-sample.ts';

inChromium('report.html on paper', (open) => {
  let small = '';
  beforeAll(async () => {
    small = await pageOf(smallSample());
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
    await page.locator('.printed .not-passed').waitFor();
    expect(await page.locator('.printed').textContent()).toContain('Clients may skip the checksum');
    expect(await page.locator('.printed').textContent()).toContain(
      'said not to be in the document (/limits/0/quote); searched: the whole document',
    );
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    for (const control of ['.filters', '.tools', '.actions']) expect(await page.locator(control).isVisible()).toBe(false);
    expect(await page.locator('h1:visible').textContent()).toBe('INCOMPLETE');
    expect(await page.locator('.heat').isVisible()).toBe(true);
  });
});
