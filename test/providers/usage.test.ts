import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reportedCostUsd, usageOf, usageOfAnswer } from '../../src/providers/usage.ts';

const NONE = { cacheRead: 0, cacheWrite: 0, reasoning: 0 };

describe('usage', () => {
  it.each<[string, object, object]>([
    ['plain', { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }, { ...NONE, uncachedInput: 100, output: 20 }],
    [
      'cached tokens are a part of the prompt',
      { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120, prompt_tokens_details: { cached_tokens: 64 } },
      { ...NONE, uncachedInput: 36, cacheRead: 64, output: 20 },
    ],
    [
      'cache writes are a part of the prompt',
      { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 10, cache_write_tokens: 80 } },
      { ...NONE, uncachedInput: 10, cacheRead: 10, cacheWrite: 80, output: 20 },
    ],
    [
      'reasoning is a part of the output',
      { prompt_tokens: 5, completion_tokens: 20, total_tokens: 25, completion_tokens_details: { reasoning_tokens: 15 } },
      { ...NONE, uncachedInput: 5, output: 20, reasoning: 15 },
    ],
    [
      'reasoning left out of the completion is output all the same',
      { prompt_tokens: 5, completion_tokens: 20, total_tokens: 125, completion_tokens_details: { reasoning_tokens: 100 } },
      { ...NONE, uncachedInput: 5, output: 120, reasoning: 100 },
    ],
    [
      'DeepSeek names its cache otherwise',
      { prompt_tokens: 100, completion_tokens: 1, prompt_cache_hit_tokens: 60 },
      { ...NONE, uncachedInput: 40, cacheRead: 60, output: 1 },
    ],
    [
      'DeepSeek in both spellings counts its cache once',
      { prompt_tokens: 100, completion_tokens: 1, prompt_cache_hit_tokens: 60, prompt_tokens_details: { cached_tokens: 60 } },
      { ...NONE, uncachedInput: 40, cacheRead: 60, output: 1 },
    ],
    [
      'Moonshot names its cache at the top',
      { prompt_tokens: 100, completion_tokens: 1, total_tokens: 101, cached_tokens: 60 },
      { ...NONE, uncachedInput: 40, cacheRead: 60, output: 1 },
    ],
    [
      'xAI leaves reasoning out of the completion and in the total',
      {
        prompt_tokens: 37,
        completion_tokens: 9,
        total_tokens: 560,
        prompt_tokens_details: { text_tokens: 37, cached_tokens: 8 },
        completion_tokens_details: { reasoning_tokens: 514 },
      },
      { uncachedInput: 29, cacheRead: 8, cacheWrite: 0, output: 523, reasoning: 514 },
    ],
    [
      'xAI without a total: reasoning that exceeds the completion is beside it',
      { prompt_tokens: 37, completion_tokens: 9, completion_tokens_details: { reasoning_tokens: 514 } },
      { ...NONE, uncachedInput: 37, output: 523, reasoning: 514 },
    ],
    [
      'Gemini through the OpenAI interface leaves thoughts to the total',
      { prompt_tokens: 1000, completion_tokens: 50, total_tokens: 1250 },
      { ...NONE, uncachedInput: 1000, output: 250 },
    ],
    [
      'Gemini: cached is a part of the prompt, thoughts are beside the candidates',
      {
        promptTokenCount: 1000,
        cachedContentTokenCount: 600,
        candidatesTokenCount: 50,
        thoughtsTokenCount: 200,
        toolUsePromptTokenCount: 30,
        totalTokenCount: 1280,
      },
      { uncachedInput: 430, cacheRead: 600, cacheWrite: 0, output: 250, reasoning: 200 },
    ],
    [
      'Anthropic: cache reads and writes are beside the input',
      {
        input_tokens: 50,
        cache_read_input_tokens: 1000,
        cache_creation_input_tokens: 248,
        output_tokens: 503,
        cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 48 },
      },
      { uncachedInput: 50, cacheRead: 1000, cacheWrite: 248, output: 503, reasoning: 0 },
    ],
    [
      'Anthropic without a cache',
      { input_tokens: 50, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 5 },
      { ...NONE, uncachedInput: 50, output: 5 },
    ],
    [
      'Anthropic through its OpenAI interface',
      { prompt_tokens: 50, completion_tokens: 5, total_tokens: 55 },
      { ...NONE, uncachedInput: 50, output: 5 },
    ],
    [
      'Anthropic through a proxy that adds the cache to the prompt',
      {
        prompt_tokens: 1298,
        completion_tokens: 5,
        total_tokens: 1303,
        prompt_tokens_details: { cached_tokens: 1000 },
        cache_read_input_tokens: 1000,
        cache_creation_input_tokens: 248,
      },
      { uncachedInput: 50, cacheRead: 1000, cacheWrite: 248, output: 5, reasoning: 0 },
    ],
    [
      'Anthropic through a proxy that leaves the cache beside the prompt, as the total shows',
      {
        prompt_tokens: 2000,
        completion_tokens: 5,
        total_tokens: 3253,
        cache_read_input_tokens: 1000,
        cache_creation_input_tokens: 248,
      },
      { uncachedInput: 2000, cacheRead: 1000, cacheWrite: 248, output: 5, reasoning: 0 },
    ],
    [
      'Anthropic through a proxy that leaves the cache beside the prompt, as the prompt shows',
      { prompt_tokens: 50, completion_tokens: 5, cache_read_input_tokens: 1000, cache_creation_input_tokens: 248 },
      { uncachedInput: 50, cacheRead: 1000, cacheWrite: 248, output: 5, reasoning: 0 },
    ],
    [
      'OpenRouter',
      {
        prompt_tokens: 194,
        completion_tokens: 20,
        total_tokens: 214,
        cost: 0.95,
        cost_details: { upstream_inference_cost: 19 },
        prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 50, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 12 },
      },
      { uncachedInput: 44, cacheRead: 100, cacheWrite: 50, output: 20, reasoning: 12 },
    ],
    [
      'OpenAI Responses: cached is a part of the input, reasoning of the output',
      {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 64 },
        output_tokens: 20,
        output_tokens_details: { reasoning_tokens: 15 },
        total_tokens: 120,
      },
      { uncachedInput: 36, cacheRead: 64, cacheWrite: 0, output: 20, reasoning: 15 },
    ],
    [
      'more cached than sent is cut down',
      { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 500, cache_write_tokens: 500 } },
      { ...NONE, uncachedInput: 0, cacheRead: 10, output: 1 },
    ],
    [
      'negative and fractional counts',
      { prompt_tokens: -5, completion_tokens: 2.9, total_tokens: -1 },
      { ...NONE, uncachedInput: 0, output: 2 },
    ],
  ])('%s', (_title, raw, expected) => {
    expect(usageOf(raw)).toEqual(expected);
  });

  it.each([[null], [undefined], ['x'], [[]], [{}], [{ prompt_tokens: '5' }], [{ prompt_tokens: null }], [{ cost: 1 }]])(
    'of %j is unknown',
    (raw) => {
      expect(usageOf(raw)).toBeNull();
    },
  );

  const count = fc.integer({ min: 0, max: 2e8 });
  const parts = fc.record({ uncachedInput: count, cacheRead: count, cacheWrite: count, words: count, reasoning: count });
  type Parts = typeof parts extends fc.Arbitrary<infer Value> ? Value : never;

  /** How each vendor writes down the same call. */
  const WRITTEN: { readonly [vendor: string]: (call: Parts) => object } = {
    OpenAI: ({ uncachedInput, cacheRead, cacheWrite, words, reasoning }) => ({
      prompt_tokens: uncachedInput + cacheRead + cacheWrite,
      completion_tokens: words + reasoning,
      total_tokens: uncachedInput + cacheRead + cacheWrite + words + reasoning,
      prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
      completion_tokens_details: { reasoning_tokens: reasoning },
    }),
    xAI: ({ uncachedInput, cacheRead, cacheWrite, words, reasoning }) => ({
      prompt_tokens: uncachedInput + cacheRead + cacheWrite,
      completion_tokens: words,
      total_tokens: uncachedInput + cacheRead + cacheWrite + words + reasoning,
      prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
      completion_tokens_details: { reasoning_tokens: reasoning },
    }),
    'OpenAI Responses': ({ uncachedInput, cacheRead, cacheWrite, words, reasoning }) => ({
      input_tokens: uncachedInput + cacheRead + cacheWrite,
      input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
      output_tokens: words + reasoning,
      output_tokens_details: { reasoning_tokens: reasoning },
    }),
    Anthropic: ({ uncachedInput, cacheRead, cacheWrite, words, reasoning }) => ({
      input_tokens: uncachedInput,
      cache_read_input_tokens: cacheRead,
      cache_creation_input_tokens: cacheWrite,
      output_tokens: words + reasoning,
    }),
    'Anthropic behind a proxy': ({ uncachedInput, cacheRead, cacheWrite, words, reasoning }) => ({
      prompt_tokens: uncachedInput + cacheRead + cacheWrite,
      completion_tokens: words + reasoning,
      total_tokens: uncachedInput + cacheRead + cacheWrite + words + reasoning,
      prompt_tokens_details: { cached_tokens: cacheRead },
      cache_read_input_tokens: cacheRead,
      cache_creation_input_tokens: cacheWrite,
    }),
    Gemini: ({ uncachedInput, cacheRead, cacheWrite, words, reasoning }) => ({
      promptTokenCount: uncachedInput + cacheRead + cacheWrite,
      cachedContentTokenCount: cacheRead,
      candidatesTokenCount: words,
      thoughtsTokenCount: reasoning,
      totalTokenCount: uncachedInput + cacheRead + cacheWrite + words + reasoning,
    }),
  };

  it.each(Object.keys(WRITTEN))('as %s writes it sums to all that is billed, each token once', (vendor) => {
    fc.assert(
      fc.property(parts, (call) => {
        const usage = usageOf(WRITTEN[vendor]?.(call));
        const { uncachedInput, cacheRead, cacheWrite, words, reasoning } = call;
        const billed = uncachedInput + cacheRead + cacheWrite + words + reasoning;
        const sum = usage === null ? -1 : usage.uncachedInput + usage.cacheRead + usage.cacheWrite + usage.output;
        return sum === billed && usage?.cacheRead === cacheRead && usage.output === words + reasoning;
      }),
    );
  });

  it('is never below 0 and holds no more reasoning than output, whatever the counts', () => {
    const any = fc.oneof(fc.integer(), fc.double(), fc.constant(null), fc.string());
    const NAMES = ['prompt_tokens', 'completion_tokens', 'total_tokens', 'cached_tokens', 'cache_read_input_tokens', 'input_tokens'];
    const names = [...NAMES, 'cache_creation_input_tokens', 'output_tokens', 'promptTokenCount', 'thoughtsTokenCount'];
    const details = fc.record({ cached_tokens: any, cache_write_tokens: any, reasoning_tokens: any });
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), any), details, (counts, each) => {
        const usage = usageOf({ ...counts, prompt_tokens_details: each, completion_tokens_details: each, input_tokens_details: each });
        if (usage === null) return true;
        return Object.values(usage).every((part) => Number.isSafeInteger(part) && part >= 0) && usage.reasoning <= usage.output;
      }),
      { numRuns: 1000 },
    );
  });

  it.each<[string, object]>([
    ['output', { prompt_tokens: 10, completion_tokens: 1e300 }],
    ['input', { prompt_tokens: 1e12, completion_tokens: 3 }],
    ['total', { prompt_tokens: 10, completion_tokens: 3, total_tokens: 1e10 }],
    ['input of two kinds', { promptTokenCount: 1.7e308, toolUsePromptTokenCount: 1.7e308, candidatesTokenCount: 1 }],
  ])('with more tokens than any model takes is unknown (%s)', (_title, raw) => {
    expect(usageOf(raw)).toBeNull();
  });

  it('of a thousand million tokens is the most that is believed', () => {
    expect(usageOf({ prompt_tokens: 999_999_999, completion_tokens: 1 })).toMatchObject({ uncachedInput: 999_999_999, output: 1 });
    expect(usageOf({ prompt_tokens: 999_999_999, completion_tokens: 2 })).toBeNull();
  });

  it('of any shape is read without a throw', () => {
    fc.assert(fc.property(fc.anything(), (raw) => usageOf(raw) === null || usageOf(raw) !== undefined));
  });
});

describe('a cost that a provider reports', () => {
  it.each<[string, unknown, number | null]>([
    ['is taken as it is', { cost: 0.0125 }, 0.0125],
    ['of 0 is known', { cost: 0 }, 0],
    [
      'comes on top of the price that the user pays upstream',
      { cost: 0.001, is_byok: true, cost_details: { upstream_inference_cost: 0.02 } },
      0.021,
    ],
    ['comes on top of it also when nobody says whose key it was', { cost: 0.001, cost_details: { upstream_inference_cost: 0.02 } }, 0.021],
    [
      "holds the upstream price where the key is the provider's",
      { cost: 0.02, is_byok: false, cost_details: { upstream_inference_cost: 0.02 } },
      0.02,
    ],
    ['without a price upstream is all', { cost: 0.02, cost_details: { upstream_inference_cost: null } }, 0.02],
    ['below 0 is none', { cost: -1 }, null],
    ['beyond what any call costs is none', { cost: 1e300 }, null],
    ['beyond it only with its upstream price is none', { cost: 1, cost_details: { upstream_inference_cost: 1e9 } }, null],
    ['as a word is none', { cost: '0.1' }, null],
    ['that is missing is none', { prompt_tokens: 1 }, null],
    ['in nothing is none', null, null],
  ])('%s', (_title, raw, expected) => {
    expect(reportedCostUsd(raw)).toBe(expected);
  });
});

it.each([
  ['no output', { prompt_tokens: 100 }, 'words', null],
  ['no input', { prompt_tokens: 0, completion_tokens: 20 }, 'words', null],
  ['nothing', { prompt_tokens: 0, completion_tokens: 0 }, 'words', null],
  ['no output for no words', { prompt_tokens: 100, completion_tokens: 0 }, '', { uncachedInput: 100, output: 0 }],
  ['both', { prompt_tokens: 100, completion_tokens: 20 }, 'words', { uncachedInput: 100, output: 20 }],
])('a count of %s is worth what it says of a whole answer', (_, raw, content, expected) => {
  const usage = usageOfAnswer(raw, content);
  if (expected === null) expect(usage).toBeNull();
  else expect(usage).toMatchObject(expected);
});
