import { expect, test } from 'vitest';
import { DOCUMENT, expectError, folder, manifestText } from './case.ts';

const PRICED = { provider: 'sim', model: 'small', price: { inputPerMTok: 100, outputPerMTok: 200 }, params: { maxOutputTokens: 10_000 } };

test('E19: an unknown price makes a budget unenforceable, and is an error with its place', async () => {
  const place = folder({ files: { 'manifest.json': manifestText({ budget: { usd: 1 } }), ...DOCUMENT } });
  await expectError(place, ['run', 'manifest.json'], {
    exitCode: 2,
    lines: [
      'error[E19]: manifest.json:13:5: price of model "small" unknown, so budget.usd cannot be enforced',
      'error[E19]: manifest.json:13:5: longest answer of model "small" unknown (params.maxOutputTokens), so budget.usd cannot be enforced',
      'next: state models.small.price in the manifest; "free" for a server of your own',
      'next: state models.small.params.maxOutputTokens in the manifest',
    ],
  });
});

test('E19: `plan` of more than the budget exits 6, and its next command runs', async () => {
  const text = manifestText({ budget: { usd: 0.0001 }, models: { small: PRICED } });
  const place = folder({ files: { 'manifest.json': text, ...DOCUMENT } });
  const { exitCode, stderr } = await place.aieval('plan', 'manifest.json');
  expect(exitCode).toBe(6);
  expect(stderr).toMatch(
    /^error\[E19\]: expected cost \$1\.00 exceeds the budget of \$0\.00010 \(manifest\.json:\d+:\d+\)\nnext: aieval run manifest\.json --max-cost (\S+)\n$/,
  );
  const maxCost = /--max-cost (\S+)/.exec(stderr)?.[1] ?? '';
  expect((await place.aieval('run', 'manifest.json', '--max-cost', maxCost)).exitCode).toBe(0);
});

test('E19: a run that its budget stops exits 6, says what is used and left, and its next command goes on', async () => {
  const text = manifestText({ budget: { usd: 0.0001 }, models: { small: PRICED } });
  const place = folder({ files: { 'manifest.json': text, ...DOCUMENT } });
  const { exitCode, stderr } = await place.aieval('run', 'manifest.json');
  expect(exitCode).toBe(6);
  expect(stderr).toContain('  stopped: budget reached ($0.00 of $0.00010), 1 job left\n      → aieval run manifest.json --max-cost ');
  const maxCost = /→ aieval run manifest\.json --max-cost (\S+)/.exec(stderr)?.[1] ?? '';
  expect((await place.aieval('run', 'manifest.json', '--max-cost', maxCost)).exitCode).toBe(0);
});
