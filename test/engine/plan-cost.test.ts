import { describe, expect, test } from 'vitest';
import type { ResolvedManifest, ResolvedModel } from '../../src/domain/manifest/resolved.ts';
import type { Price } from '../../src/domain/money.ts';
import { type AskedJob, estimates as estimatesOf, sumCalls, total } from '../../src/engine/plan-cost.ts';
import type { OutputMean } from '../../src/store/rows.ts';
import { job, MANIFEST, step } from '../store/rows.ts';

const PRICE: Price = { inputPerMTok: 1, outputPerMTok: 10 };

const MODEL: ResolvedModel = {
  id: 'fast',
  provider: 'lab',
  model: 'fast-1',
  group: null,
  params: { maxOutputTokens: 100 },
  price: PRICE,
  contextTokens: null,
  structuredOutput: 'auto',
  timeouts: { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 },
};

function manifest(...models: readonly Partial<ResolvedModel>[]): ResolvedManifest {
  return { ...MANIFEST, models: Object.fromEntries(models.map((each) => [each.id ?? 'fast', { ...MODEL, ...each }])) };
}

function ask(key: string, task = 'claims', model = 'fast') {
  return job(key, 0, { task, model, steps: [step(key, { inputTokens: 1000, maxInputTokens: 3000 })] });
}

function mean(tokens: number, task = 'claims', model = 'fast-1'): OutputMean {
  return { task, model, endpoint: 'here', tokens, latencyMs: null, calls: 5 };
}

function estimates(of: ResolvedManifest, jobs: readonly AskedJob[], means: readonly OutputMean[]) {
  return estimatesOf(of, sumCalls(of, jobs, means));
}

describe('what asking a model is expected to cost', () => {
  test('takes half of the longest answer for want of earlier ones, and at worst all that may be sent and answered', () => {
    expect(estimates(manifest({}), [ask('a'), ask('b')], [])).toEqual([
      {
        model: 'fast',
        inputTokens: 2000,
        maxInputTokens: 6000,
        outputTokens: 100,
        maxOutputTokens: 200,
        expectedNanoUsd: 2_000_000 + 1_000_000,
        worstNanoUsd: 6_000_000 + 2_000_000,
        outputBasis: 'half',
      },
    ]);
  });

  test.each<[string, readonly OutputMean[], number, string]>([
    ['takes the length of earlier answers to the same task', [mean(20.2), mean(90, 'other')], 21, 'measured'],
    ['takes no length of another model', [mean(20, 'claims', 'slow-1')], 50, 'half'],
    ['takes earlier answers for no longer than answers may be now', [mean(400)], 100, 'measured'],
  ])('%s', (_, means, outputTokens, outputBasis) => {
    expect(estimates(manifest({}), [ask('a')], means)).toMatchObject([{ outputTokens, outputBasis }]);
  });

  test('says so when only some of its lengths were measured', () => {
    expect(estimates(manifest({}), [ask('a'), ask('b', 'other')], [mean(20)])).toMatchObject([{ outputTokens: 70, outputBasis: 'mixed' }]);
  });

  test('counts what several jobs ask alike once', () => {
    const twin = { ...ask('a'), jobId: 'twin' };
    expect(estimates(manifest({}), [ask('a'), twin], [])).toMatchObject([{ inputTokens: 1000 }]);
  });

  test('counts what two models ask alike with the first of them, which asks', () => {
    const twin = { ...ask('a', 'claims', 'other'), jobId: 'twin' };
    const models = estimates(manifest({}, { id: 'other' }), [ask('a'), twin], []);
    expect(models.map(({ model, inputTokens }) => [model, inputTokens])).toEqual([
      ['fast', 1000],
      ['other', 0],
    ]);
  });

  test.each<[string, Partial<ResolvedModel>, readonly OutputMean[], object]>([
    ['is unknown without a price', { price: null }, [], { expectedNanoUsd: null, worstNanoUsd: null, outputTokens: 50 }],
    [
      'is unknown without a length',
      { params: {} },
      [],
      { expectedNanoUsd: null, worstNanoUsd: null, outputTokens: null, outputBasis: null },
    ],
    [
      'is known by measured lengths alone, the worst case is not',
      { params: {} },
      [mean(20)],
      { expectedNanoUsd: 1_200_000, worstNanoUsd: null },
    ],
    ['is nothing for a free model', { price: 'free', params: {} }, [], { expectedNanoUsd: 0, worstNanoUsd: 0, outputTokens: null }],
  ])('%s', (_, model, means, expected) => {
    expect(estimates(manifest(model), [ask('a')], means)).toMatchObject([expected]);
  });

  test('is nothing for a model that is not asked, whatever its price', () => {
    const [, idle] = estimates(manifest({}, { id: 'idle', price: null }), [ask('a')], []);
    expect(idle).toMatchObject({ model: 'idle', inputTokens: 0, expectedNanoUsd: 0, worstNanoUsd: 0 });
  });

  test('reaches the dearer tier with the most that the input may be', () => {
    const price: Price = { ...PRICE, above: [{ inputTokens: 2000, inputPerMTok: 2, outputPerMTok: 20 }] };
    expect(estimates(manifest({ price }), [ask('a')], [])).toMatchObject([
      { expectedNanoUsd: 1_000_000 + 500_000, worstNanoUsd: 6_000_000 + 2_000_000 },
    ]);
  });
});

test('the total is unknown as soon as one model is', () => {
  const models = estimates(manifest({}, { id: 'dark', price: null }), [ask('a'), ask('b', 'claims', 'dark')], []);
  expect(total(models)).toEqual({
    inputTokens: 2000,
    maxInputTokens: 6000,
    outputTokens: 100,
    maxOutputTokens: 200,
    expectedNanoUsd: null,
    worstNanoUsd: null,
  });
});
