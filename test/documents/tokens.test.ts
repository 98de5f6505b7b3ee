import fc from 'fast-check';
import * as cl100k from 'gpt-tokenizer/encoding/cl100k_base';
import * as o200k from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { countTokens, createTokenCounter } from '../../src/documents/token-count.ts';
import { estimateCount, estimateTokens, maxTokensOf } from '../../src/documents/tokens.ts';
import { SCRIPTS } from './scripts.ts';
import { TEXTS } from './texts.ts';

describe('the estimate', () => {
  test.each([
    ['', 0],
    ['a', 1],
    ['The device shall answer.', 5],
    ['internationalisation', 7],
    ['INTERNATIONALISATION', 4],
    ['12345', 2],
    ['====================', 1],
    ['한국어', 3],
  ])('of %j is %d', (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });

  test.each(Object.entries(TEXTS))('of %s is within a fifth of what o200k counts', async (_, text) => {
    const tokens = await countTokens(text);
    expect(estimateTokens(text) / tokens).toBeGreaterThan(0.8);
    expect(estimateTokens(text) / tokens).toBeLessThan(1.2);
  });
});

describe.each(Object.entries(SCRIPTS))('of %s', (_, text) => {
  const [tokens, others] = [o200k.countTokens(text), cl100k.countTokens(text)];

  test('the estimate is near what o200k counts', () => {
    expect(estimateTokens(text) / tokens).toBeGreaterThan(0.73);
    expect(estimateTokens(text) / tokens).toBeLessThan(1.8);
  });

  test('the upper bound is above o200k and cl100k, estimated or counted', async () => {
    const long = `${text}\n`.repeat(Math.ceil(5000 / text.length));
    const count = await createTokenCounter()(long);
    const most = Math.max(o200k.countTokens(long), cl100k.countTokens(long));
    expect(count.tokens).toBeGreaterThan(o200k.countTokens(long) * 0.98);
    expect(count.maxTokens).toBeGreaterThanOrEqual(most);
    expect(estimateCount(long).maxTokens).toBeGreaterThanOrEqual(most);
    expect(maxTokensOf(text, tokens)).toBeGreaterThanOrEqual(others);
  });

  test('the upper bound holds for its characters in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...new Set(text.replace(/[a-z]/gi, ''))), { minLength: 30, maxLength: 80 }), (characters) => {
        const soup = characters.join('').replace(/\s+/g, ' ').trim();
        const counted = o200k.countTokens(soup);
        const most = Math.max(counted, cl100k.countTokens(soup));
        expect(maxTokensOf(soup, counted)).toBeGreaterThanOrEqual(most);
        expect(estimateCount(soup).maxTokens).toBeGreaterThanOrEqual(most);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the upper bound', () => {
  test.each(Object.entries(TEXTS))('of %s is above o200k, a character count and one token a digit', async (_, text) => {
    const tokens = await countTokens(text);
    const digits = text.replace(/\D/g, '').length;
    const digitByDigit = tokens - Math.ceil(digits / 3) + digits;
    const bounds = [maxTokensOf(text, tokens), estimateCount(text).maxTokens];
    for (const bound of bounds) expect(bound).toBeGreaterThanOrEqual(Math.max(tokens, text.length / 4));
    expect(maxTokensOf(text, tokens)).toBeGreaterThanOrEqual(digitByDigit);
  });

  test('of text put together from words, numbers and signs is above o200k and a character count', async () => {
    const word = fc.constantFrom(
      'the',
      'Receiver',
      'shall',
      'HTTP/1.1',
      '0x1F',
      '12.75',
      'müssen',
      'документ',
      '测试',
      '(see',
      'fig. 3)',
      '—',
      '\n\n',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 200 }), async (words) => {
        const text = words.join(' ');
        const tokens = await countTokens(text);
        const least = Math.max(tokens, text.length / 4);
        expect(maxTokensOf(text, tokens)).toBeGreaterThanOrEqual(least);
        expect(estimateCount(text).maxTokens).toBeGreaterThanOrEqual(least);
      }),
      { numRuns: 100 },
    );
  });
});
