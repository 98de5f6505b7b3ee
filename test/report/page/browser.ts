import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, vi } from 'vitest';

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The Chromium of this machine: `AIEVAL_CHROMIUM`, or what PATH has; `null` without one. */
function chromiumPath(): string | null {
  const named = process.env.AIEVAL_CHROMIUM;
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'];
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
  const candidates = named === undefined ? folders.flatMap((folder) => names.map((name) => join(folder, name))) : [named];
  return candidates.find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

/** Why browser tests are skipped; `null` when they run. In CI a missing browser is a failure, not a gap. */
const skipReason =
  chromiumPath() === null && process.env.CI === undefined
    ? 'skipped: no Chromium on this machine (install chromium, or name one in AIEVAL_CHROMIUM)'
    : null;

async function startChromium(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === null) throw new Error('Expected a Chromium: install chromium, or name one in AIEVAL_CHROMIUM');
  return chromium.launch({ executablePath, args: ARGUMENTS });
}

type OpenReport = {
  readonly page: Page;
  /** Requests other than for the file itself, errors, and what the policy refused. */
  readonly troubles: readonly string[];
  readonly close: () => Promise<void>;
};

/** Opens a report from a file of its own, and listens to all that it asks for or complains of. */
async function openReport(browser: Browser, html: string, hash = '', options: BrowserContextOptions = {}): Promise<OpenReport> {
  const dir = mkdtempSync(join(tmpdir(), 'aieval-page-'));
  const file = join(dir, 'report.html');
  writeFileSync(file, html);
  const address = pathToFileURL(file).href;
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('request', (request) => {
    if (request.url().split('#')[0] !== address) troubles.push(`request ${request.url()}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') troubles.push(`console ${message.text()}`);
  });
  page.on('pageerror', (error) => troubles.push(`error ${error.message}`));
  page.on('dialog', (dialog) => {
    troubles.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(`${address}${hash}`);
  return {
    page,
    troubles,
    close: async () => {
      await context.close();
      rmSync(dir, { recursive: true });
    },
  };
}

/** Of what the browser tells when it is ready, on a machine that may be busy. */
export const SOON = { timeout: 20_000 };

/** Opens a report at an address of its own; nothing may go wrong in it until the test ends. */
export type Open = (html: string, hash?: string, options?: BrowserContextOptions) => Promise<Page>;

/** Tests in one Chromium, which starts slowly on a machine that may be busy. */
export function inChromium(title: string, tests: (open: Open) => void): void {
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
  if (skipReason !== null) process.stderr.write(`${skipReason}\n`);
  describe.skipIf(skipReason !== null)(title, () => {
    let browser: Browser;
    let report: OpenReport | null = null;
    beforeAll(async () => {
      browser = await startChromium();
    });
    afterEach(async () => {
      const troubles = report?.troubles ?? [];
      await report?.close();
      report = null;
      expect(troubles).toEqual([]);
    });
    afterAll(async () => browser?.close());
    tests(async (html, hash = '', options = {}) => {
      report = await openReport(browser, html, hash, options);
      return report.page;
    });
  });
}
