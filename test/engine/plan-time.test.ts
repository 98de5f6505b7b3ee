import { describe, expect, test } from 'vitest';
import type { ResolvedManifest, ResolvedModel, ResolvedProvider } from '../../src/domain/manifest/resolved.ts';
import { sumCalls } from '../../src/engine/plan-cost.ts';
import { timeEstimate } from '../../src/engine/plan-time.ts';
import type { OutputMean } from '../../src/store/rows.ts';
import { job, MANIFEST, step } from '../store/rows.ts';

const PROVIDER: ResolvedProvider = {
  ...{ id: 'lab', type: 'openai', baseUrl: 'http://127.0.0.1:1/v1', apiKeyEnv: null, identity: null, stream: true, headers: {} },
  ...{ concurrency: 4, requestsPerMinute: null, tokensPerMinute: null, tokenAccounting: 'reserved', cassette: null, latencyMs: 0 },
};
const MODEL: ResolvedModel = {
  ...{ id: 'fast', provider: 'lab', model: 'fast-1', group: null, params: { maxOutputTokens: 100 }, price: null, contextTokens: null },
  structuredOutput: 'auto',
  timeouts: { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 },
};
const MODELS = { fast: MODEL, slow: { ...MODEL, id: 'slow', model: 'slow-1', group: 'slow' } };
const ROUTES = new Map([
  ['fast', { endpoint: 'here', laneId: 'lane-fast', accountId: 'a' }],
  ['slow', { endpoint: 'here', laneId: 'lane-slow', accountId: 'a' }],
]);

function mean(model: string, latencyMs: number | null, changes: Partial<OutputMean> = {}): OutputMean {
  return { task: 'task', model, endpoint: 'here', tokens: 20, latencyMs, calls: 1, ...changes };
}

function asked(model: string, count: number) {
  return Array.from({ length: count }, (_, seq) =>
    job(`${model} ${seq}`, seq, { model, steps: [step(`${model} ${seq}`, { inputTokens: 900 })] }),
  );
}

function estimate(jobs: ReturnType<typeof asked>, means: readonly OutputMean[], changes: Partial<ResolvedManifest> = {}, provider = {}) {
  const manifest = { ...MANIFEST, providers: { lab: { ...PROVIDER, ...provider } }, models: MODELS, ...changes };
  return timeEstimate({ manifest, routes: ROUTES, sums: sumCalls(manifest, jobs, means), means });
}

describe('the time that a run takes', () => {
  test('is that of the slowest lane: its calls beside each other', () => {
    expect(estimate([...asked('fast', 100), ...asked('slow', 10)], [mean('fast-1', 1000), mean('slow-1', 20_000)])).toEqual({
      slowest: { ms: 50_000, basis: { by: 'calls', name: 'slow', calls: 10, latencyMs: 20_000, atOnce: 4 } },
      untimed: [],
    });
  });

  test('is that of this process where it calls less at once than its providers would take', () => {
    const jobs = [...asked('fast', 40), ...asked('slow', 40)];
    const { slowest } = estimate(jobs, [mean('fast-1', 1000), mean('slow-1', 1000)], { concurrency: 2 });
    expect(slowest).toEqual({ ms: 40_000, basis: { by: 'calls', name: null, calls: 80, latencyMs: 1000, atOnce: 2 } });
  });

  test('is never less than one call takes', () => {
    expect(estimate(asked('fast', 1), [mean('fast-1', 30_000)]).slowest?.ms).toBe(30_000);
  });

  test.each([
    ['requests', { requestsPerMinute: 10 }, 600_000],
    ['tokens', { tokensPerMinute: 10_000 }, 600_000],
    ['tokens', { tokensPerMinute: 10_000, tokenAccounting: 'actual' as const }, 552_000],
  ])('is that of the %s that a provider takes in a minute, where these hold longer', (by, provider, ms) => {
    const { slowest } = estimate(asked('fast', 100), [mean('fast-1', 1000)], {}, provider);
    expect(slowest).toMatchObject({ ms, basis: { by, name: 'lab' } });
  });

  test('is of the same task at the same place, where that was timed, else of any task there', () => {
    const means = [mean('fast-1', 5000), mean('fast-1', 1000, { endpoint: 'there' }), mean('fast-1', 9000, { task: 'other' })];
    expect(estimate(asked('fast', 4), means).slowest?.ms).toBe(5000);
    expect(estimate(asked('fast', 4), means.slice(1)).slowest?.ms).toBe(9000);
  });

  test('is not guessed for a model that was never timed, and then at least that of the others', () => {
    const jobs = [...asked('fast', 4), ...asked('slow', 4)];
    expect(estimate(jobs, [])).toEqual({ slowest: null, untimed: ['fast', 'slow'] });
    expect(estimate(jobs, [mean('fast-1', 1000), mean('slow-1', null)])).toMatchObject({ slowest: { ms: 1000 }, untimed: ['slow'] });
  });

  test('is none where nothing is asked', () => {
    expect(estimate([], [mean('fast-1', 1000)])).toEqual({ slowest: null, untimed: [] });
  });
});
