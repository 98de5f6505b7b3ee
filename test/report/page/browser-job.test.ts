import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { NAMED_PAYLOADS } from '../hostile.ts';
import { line, score } from '../sample.ts';
import { inChromium } from './browser.ts';
import { type PageSample, pageOf } from './page-of.ts';
import { missing } from './quoted.ts';
import { SMALL_IDS, SPEC_TEXT, smallSample } from './small-sample.ts';

inChromium('a job of report.html in Chromium', (openPage) => {
  const open = async (job: string, over: Partial<PageSample> = {}): Promise<Page> =>
    await openPage(await pageOf(smallSample(over)), `#job=${job}`);
  /** Text of the marks as the document has it: without our numbers, and with what is unseen as labels. */
  const marked = (page: Page): Promise<string[]> =>
    page.evaluate(
      '[...document.querySelectorAll(".text mark")].map((mark) => { const copy = mark.cloneNode(true); for (const tag of copy.querySelectorAll(".tag")) tag.remove(); return copy.textContent; })',
    );

  test('marks every quote where it stands, to the character', async () => {
    const page = await open(SMALL_IDS.failed);
    expect(await marked(page)).toEqual([
      '👩‍💻 MUST wait 1023 ms',
      'Cafe\u0301 na\u00efve re\u0301sume\u0301',
      'A server MAY refuse a request that is larger than 64 kB.',
      'Requests are counted per minute. Requests above the limit are answered with 429.',
      'gnp.exeU+202C name, zeroU+200Bwidth and <script>alert(1)</script>',
    ]);
    const classes = await page.locator('.text mark').evaluateAll((marks) => marks.map((mark) => String(mark.getAttribute('class'))));
    expect(classes).toEqual(['is-rejected', 'is-verified', 'is-verified', 'is-near', 'is-verified']);
    const line = page.locator('.line', { hasText: 'A server MAY refuse' });
    expect(await line.locator('.line-number').textContent()).toBe('66');
  });

  test('lists the quotes that were not found apart, with reason, nearest place and what differs', async () => {
    const page = await open(SMALL_IDS.failed);
    const lists = page.locator('.evidence > div');
    expect(await lists.first().locator('h3').textContent()).toBe('Rejected quotes (2)');
    const altered = lists.first().locator('.quote').first();
    expect(await altered.textContent()).toMatch(/altered.*nearest: line 2, Retry/s);
    expect(await altered.locator('del').allInnerTexts()).toEqual(['1032']);
    expect(await altered.locator('ins').allInnerTexts()).toEqual(['1023']);
    expect(await lists.first().locator('.quote').last().textContent()).toContain('not in the document');
    expect(await lists.nth(1).locator('h3').textContent()).toBe('Found in the document (4)');
    expect(await page.locator('.is-absent').textContent()).toContain('searched: the whole document');
  });

  test('goes from a quote to its place, and from place to place with n and p', async () => {
    const page = await open(SMALL_IDS.failed);
    const current = (): Promise<string | null> => page.locator('mark.is-current .tag').first().textContent();
    await page.locator('.quote', { hasText: 'larger than 64 kB' }).locator('.go').click();
    expect(await current()).toBe('✓3');
    await page.keyboard.press('n');
    expect(await current()).toBe('≈4');
    await page.keyboard.press('p');
    await page.keyboard.press('p');
    expect(await current()).toBe('✓2');
    expect(await page.locator('.walk-count').textContent()).toBe('2 of 5');
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('n');
    expect(await current()).toBe('✗1');
  });

  test('shows what the model has not seen, the checks, the prompt, the attempts and the way to the artifacts', async () => {
    const page = await open(SMALL_IDS.failed);
    expect(await page.locator('.trouble').textContent()).toContain(
      'Not seen by the model: only 50 % of its text in a prompt; not section “Hidden”',
    );
    expect(await page.locator('.checks').textContent()).toContain('Expected at most 3, got 5');
    expect(await page.locator('.job-figures a').getAttribute('href')).toBe(`runs/r-8kq2/jobs/${SMALL_IDS.failed}/`);
    expect(await page.locator('.job-figures a').getAttribute('rel')).toContain('noreferrer');
    expect(await page.locator('table.plain').textContent()).toMatch(/failed: timeout.*no answer in 120 s.*succeeded/s);
    await page.locator('.steps summary').first().click();
    expect(await page.locator('.message').first().textContent()).toContain('You check specifications.');
    const reference = page.locator('.message details summary', { hasText: 'text of the document' });
    await reference.click();
    expect(await page.locator('.message details pre').textContent()).toContain('# Retry');
    expect(await page.locator('.message').last().textContent()).toContain('Sure!');
  });

  test('says what the model says of a quote: its severity first, then the rest by name', async () => {
    const page = await open(SMALL_IDS.failed);
    const card = page.locator('.quote.is-verified', { hasText: 'larger than 64 kB' });
    expect(await card.locator('.severity').textContent()).toBe('severity major');
    expect(await card.locator('.fields dt').allTextContents()).toEqual(['problem', 'suggestion', 'blocking']);
    expect(await card.locator('.fields dd').allTextContents()).toEqual([
      'MAY leaves it open <b>which</b> server U+202E refuses',
      'Say MUST.',
      'yes',
    ]);
    expect(await page.locator('.quote.is-rejected .severity').allTextContents()).toEqual(['severity minor']);
  });

  test('counts calls as attempts, not the step that judges', async () => {
    const attempt = { number: 1, outcome: 'succeeded', reason: null, message: null, startedAt: '2026-11-01T13:12:31.000Z', tookMs: 1 };
    const attempts = ['answer-1', 'finish-1'].map((step) => ({ ...attempt, step, costUsd: null }));
    const page = await open(SMALL_IDS.passed, { detail: () => ({ attempts }) });
    expect(await page.locator('.part', { hasText: 'Attempts' }).locator('small').textContent()).toBe('1 attempt');
    expect(await page.locator('table.plain tbody tr').count()).toBe(1);
  });

  test('says no number of an evidence check, whose quotes say more', async () => {
    const page = await open(SMALL_IDS.failed);
    const check = page.locator('.check', { hasText: '2 of 6 quotes' });
    expect(await check.textContent()).not.toContain('value');
    expect(await page.locator('.check', { hasText: 'at most 3' }).textContent()).toContain('value 5');
  });

  test('tells where a cached answer was paid for', async () => {
    const page = await open(SMALL_IDS.passed);
    expect(await page.locator('.job-figures').textContent()).toContain('from cache: paid in run r-old, job jold ($0.004)');
  });

  test('says why there is no text to show', async () => {
    const broken = await open(SMALL_IDS.broken);
    expect(await broken.locator('.trouble').textContent()).toBe('document no text: no text layer (12 pages)');
    expect(await broken.locator('.document').textContent()).toContain('could not be read');
    await broken.evaluate(`location.hash = "#job=${SMALL_IDS.untold}"`);
    await expect.poll(() => broken.locator('.document').textContent(), { timeout: 20_000 }).toContain('is not in this file');
  });

  test('says that a private run shows no words', async () => {
    const { header } = smallSample();
    const page = await open(SMALL_IDS.failed, { header: { ...header, privacy: 'none' }, documents: [null, null, null] });
    expect(await page.locator('.banner', { hasText: 'privacy.evidence' }).count()).toBe(1);
    expect(await page.locator('.document').textContent()).toContain('privacy.evidence is "none"');
  });

  test('keeps every hostile text inert and visible', async () => {
    const scores = [score({ verdict: 'fail', explanation: 'bad', findings: NAMED_PAYLOADS.map(([, payload]) => missing(payload)) })];
    const answer = NAMED_PAYLOADS.map(([, payload]) => payload);
    const page = await open(SMALL_IDS.passed, {
      lines: answer.map((payload, index) =>
        line({
          jobId: index === 0 ? SMALL_IDS.passed : `j${index}`,
          document: 'spec/retry.md',
          task: payload,
          model: payload,
          verdict: 'fail',
          scores: [{ ...(scores[0] ?? score()), check: payload, explanation: payload }],
        }),
      ),
      detail: () => ({ answer, scores }),
    });
    expect(await page.locator('.quote').count()).toBe(answer.length);
    expect(
      await page.evaluate(
        'document.querySelectorAll("#app img, #app script, #app iframe, #app b[onmouseover], #app a[href^=javascript]").length',
      ),
    ).toBe(0);
    const shown: string = await page.evaluate('document.querySelector("#app").textContent');
    expect(shown).toContain('<script>alert(1)</script>');
    expect(shown).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    expect(await page.evaluate('document.querySelector(".pane").scrollWidth - document.querySelector(".pane").clientWidth')).toBe(0);
  });

  test('cuts an answer of a megabyte until somebody wants all of it', async () => {
    const page = await open(SMALL_IDS.failed, { detail: () => ({ answer: 'long '.repeat(200_000) }) });
    const block = page.locator('details.part pre').first();
    expect(((await block.textContent()) ?? '').length).toBeLessThan(25_000);
    await page.getByText('Show all 1,000,000 characters').click();
    expect(((await block.textContent()) ?? '').length).toBeGreaterThanOrEqual(999_999);
  });

  test('folds a text of twenty thousand lines about its quotes', async () => {
    const filler = 'nothing is quoted from this line\n'.repeat(20_000);
    const page = await open(SMALL_IDS.failed, {
      documents: [{ excerpts: [{ start: 0, text: SPEC_TEXT + filler, line: 1, page: null }] }, null, null],
    });
    expect(await page.locator('.line').count()).toBeLessThan(200);
    const fold = page.locator('.fold').last();
    expect(await fold.textContent()).toContain('show 19,9');
    await fold.click();
    expect(await page.locator('.line').count()).toBeGreaterThan(400);
    expect(await page.locator('.line').count()).toBeLessThan(700);
  });
});
