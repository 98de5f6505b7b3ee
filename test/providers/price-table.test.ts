import { describe, expect, test } from 'vitest';
import type { ModelParams } from '../../src/domain/completion.ts';
import type { Price } from '../../src/domain/money.ts';
import { LIST_PRICES } from '../../src/providers/list-prices.ts';
import { priceOf } from '../../src/providers/price-table.ts';

const OPENAI = 'https://api.openai.com/v1';
const GEMINI = 'https://generativelanguage.googleapis.com/v1beta/openai';

function listed(model: string, baseUrl: string | null = OPENAI, params: ModelParams = {}) {
  return priceOf({ model, price: null, params }, { baseUrl });
}

const MINI = { inputPerMTok: 0.25, cachedInputPerMTok: 0.025, outputPerMTok: 2, asOf: '2025-11-13', listed: true };

describe('the price of a model', () => {
  test('is that of the manifest, if it states one', () => {
    const price: Price = { inputPerMTok: 7, outputPerMTok: 8 };
    expect(priceOf({ model: 'gpt-5-mini', price, params: {} }, { baseUrl: OPENAI })).toBe(price);
    expect(priceOf({ model: 'gpt-5-mini', price: 'free', params: {} }, { baseUrl: OPENAI })).toBe('free');
  });

  test.each([
    ['by its name', 'gpt-5-mini'],
    ['by its name with the day of its release', 'gpt-5-mini-2025-08-07'],
    ['by its name with that day without hyphens', 'gpt-5-mini-20250807'],
  ])('is else the list price, %s', (_, model) => {
    expect(listed(model)).toEqual(MINI);
  });

  test('is that of one release where it differs', () => {
    expect(listed('gpt-4o-2024-05-13')).toMatchObject({ inputPerMTok: 5, outputPerMTok: 15 });
    expect(listed('gpt-4o-2024-08-06')).toMatchObject({ inputPerMTok: 2.5, outputPerMTok: 10 });
  });

  test('is found under the spelling of Google', () => {
    expect(listed('models/gemini-2.5-pro', GEMINI)).toEqual({
      inputPerMTok: 1.25,
      cachedInputPerMTok: 0.125,
      outputPerMTok: 10,
      above: [{ inputTokens: 200_000, inputPerMTok: 2.5, cachedInputPerMTok: 0.25, outputPerMTok: 15 }],
      asOf: '2025-10-31',
      listed: true,
    });
  });

  test.each<[string, string, string | null, ModelParams]>([
    ['of another name that begins alike', 'gpt-5-mini-high', OPENAI, {}],
    ['of a fine-tuned model', 'ft:gpt-4.1-mini:acme', OPENAI, {}],
    ['of a name that moves to other models', 'mistral-large-latest', 'https://api.mistral.ai/v1', {}],
    ['of another vendor', 'claude-haiku-4-5', OPENAI, {}],
    ['at a reseller', 'gpt-5-mini', 'https://openrouter.ai/api/v1', {}],
    ['at a host that is called alike', 'gpt-5-mini', 'https://api.openai.com.example.net/v1', {}],
    ['at a local server', 'gpt-5-mini', 'http://127.0.0.1:8000/v1', {}],
    ['of a recording', 'gpt-5-mini', null, {}],
    ['of a faster service', 'gpt-5-mini', OPENAI, { service_tier: 'priority' }],
    ['of a name that every object has', 'constructor', OPENAI, {}],
  ])('is unknown %s', (_, model, baseUrl, params) => {
    expect(listed(model, baseUrl, params)).toBeNull();
  });
});

describe('each list price', () => {
  const rows = Object.entries(LIST_PRICES).flatMap(([host, prices]) =>
    Object.entries(prices).map(([model, price]) => [`${host} ${model}`, price] as const),
  );

  test.each(rows)('%s has a day, costs something, no more from the cache, and no less when longer', (_, price) => {
    expect(price.asOf).toMatch(/^202\d-\d\d-\d\d$/);
    expect(price.inputPerMTok).toBeGreaterThan(0);
    expect(price.outputPerMTok).toBeGreaterThanOrEqual(price.inputPerMTok);
    expect(price.cachedInputPerMTok).toBeLessThanOrEqual(price.inputPerMTok);
    for (const tier of price.above ?? []) {
      expect(tier.inputPerMTok).toBeGreaterThanOrEqual(price.inputPerMTok);
      expect(tier.outputPerMTok).toBeGreaterThanOrEqual(price.outputPerMTok);
    }
  });
});
