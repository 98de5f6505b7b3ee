import { expect, test } from 'vitest';
import { openCost } from '../../../src/cli/status/open-cost.ts';
import type { ModelRate } from '../../../src/domain/money.ts';
import type { OpenCalls, Waiting } from '../../../src/store/rows.ts';
import { sampleRun } from '../sample-run.ts';

const STOP: Waiting = { why: 'budget_usd', laneId: null, count: 3, untilMs: null, message: null };
const PRICE = { inputPerMTok: 1, outputPerMTok: 10 };

async function costOf(rates: { readonly [model: string]: ModelRate }, calls: readonly OpenCalls[], stoppedBy = [STOP]) {
  const run = sampleRun({ settings: { ...sampleRun().settings, rates } });
  return (await openCost({ openCalls: async () => calls }, run, stoppedBy)).openNanoUsd;
}

const THREE: OpenCalls = { model: 'm', calls: 3, maxInputTokens: 3500, largestInputTokens: 1500 };

test('open calls cost at most all their input and the longest answer of each', async () => {
  // A nano-USD for each call, which is rounded up on its own.
  expect(await costOf({ m: { price: PRICE, maxOutputTokens: 100 } }, [THREE])).toBe(3500 * 1000 + 300 * 10_000 + 3);
  expect(await costOf({ m: { price: 'free', maxOutputTokens: null } }, [THREE])).toBe(0);
});

test('a price that rises with the length counts where a single call reaches it', async () => {
  const tiered = (inputTokens: number) => ({ ...PRICE, above: [{ inputTokens, inputPerMTok: 2, outputPerMTok: 20 }] });
  expect(await costOf({ m: { price: tiered(2000), maxOutputTokens: 100 } }, [THREE])).toBe(3500 * 1000 + 300 * 10_000 + 3);
  expect(await costOf({ m: { price: tiered(1000), maxOutputTokens: 100 } }, [THREE])).toBe(3500 * 2000 + 300 * 20_000 + 3);
});

test('is unknown where a price is, and not asked for where something else stopped the run', async () => {
  const known = { m: { price: PRICE, maxOutputTokens: 100 } };
  expect(await costOf(known, [THREE, { ...THREE, model: 'other' }])).toBeNull();
  expect(await costOf({ m: { price: PRICE, maxOutputTokens: null } }, [THREE])).toBeNull();
  expect(await costOf(known, [THREE], [{ ...STOP, why: 'budget_tokens' }])).toBeNull();
});
