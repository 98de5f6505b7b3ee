import { expect, test } from 'vitest';
import type { ResolvedManifest, ResolvedModel } from '../../src/domain/manifest/resolved.ts';
import { settingsOf } from '../../src/engine/enqueue.ts';
import { MANIFEST } from '../store/rows.ts';

const MODEL: ResolvedModel = {
  id: 'fast',
  provider: 'lab',
  model: 'fast-1',
  group: null,
  params: { maxOutputTokens: 100 },
  price: { inputPerMTok: 1, outputPerMTok: 2 },
  contextTokens: null,
  structuredOutput: 'auto',
  timeouts: { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 },
};

test('the settings of a run have money in nano-USD and times in milliseconds', () => {
  const manifest: ResolvedManifest = {
    ...MANIFEST,
    models: { fast: MODEL, mine: { ...MODEL, id: 'mine', price: 'free', params: {} } },
    retry: { attempts: 2, lostLeases: 1, maxWaitMs: 5000 },
    cache: { mode: 'read', ttlDays: 0.5, namespace: null },
    budget: { usd: 0.1, tokens: 7, minutes: 1.5, warnAt: 0.5, group: { name: 'team', usd: 3.3, per: 'month' } },
    failFast: { afterFailures: 3 },
  };
  expect(settingsOf(manifest)).toEqual({
    retry: { attempts: 2, lostLeases: 1, maxWaitMs: 5000 },
    lease: MANIFEST.lease,
    runConcurrency: null,
    cacheMode: 'read',
    cacheTtlMs: 43_200_000,
    gate: MANIFEST.gate,
    budget: {
      nanoUsd: 100_000_000,
      tokens: 7,
      activeMs: 90_000,
      warnAt: 0.5,
      group: { name: 'team', nanoUsd: 3_300_000_000, per: 'month' },
    },
    failFast: { afterFailures: 3 },
    rates: { fast: { price: MODEL.price, maxOutputTokens: 100 }, mine: { price: 'free', maxOutputTokens: null } },
  });
});

test('a budget of which nothing is stated bounds nothing', () => {
  const budget = { usd: null, tokens: 5, minutes: null, warnAt: 0.8, group: null };
  expect(settingsOf({ ...MANIFEST, budget }).budget).toEqual({ nanoUsd: null, tokens: 5, activeMs: null, warnAt: 0.8, group: null });
  expect(settingsOf(MANIFEST).budget).toBeNull();
});
