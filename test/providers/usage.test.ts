import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { usageOf } from '../../src/providers/usage.ts';

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

  it.each([[null], [undefined], ['x'], [[]], [{}], [{ prompt_tokens: '5' }], [{ prompt_tokens: null }]])('of %j is unknown', (raw) => {
    expect(usageOf(raw)).toBeNull();
  });

  it('is disjoint: input parts sum to the prompt, and nothing is below 0', () => {
    const count = fc.integer({ min: 0, max: 1e9 });
    fc.assert(
      fc.property(count, count, count, count, count, (prompt, completion, cached, written, reasoning) => {
        const usage = usageOf({
          prompt_tokens: prompt,
          completion_tokens: completion,
          prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
          completion_tokens_details: { reasoning_tokens: reasoning },
        });
        if (usage === null) return false;
        const input = usage.uncachedInput + usage.cacheRead + usage.cacheWrite;
        return (
          input === prompt &&
          usage.output === completion &&
          usage.reasoning <= usage.output &&
          Object.values(usage).every((part) => part >= 0)
        );
      }),
    );
  });

  it('of any shape is read without a throw', () => {
    fc.assert(fc.property(fc.anything(), (raw) => usageOf(raw) === null || usageOf(raw) !== undefined));
  });
});
