import fc from 'fast-check';
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { stretchEnds, tokensBetween } from '../../src/documents/stretches.ts';
import { countTokens, createTokenCounter } from '../../src/documents/token-count.ts';
import { TEXTS } from './texts.ts';

test('stretches tile a text, are short, and never cut a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '\n', '/', 'ж', '漢', '😀', 'word '), maxLength: 2000 }), (text) => {
      const ends = stretchEnds(text);
      expect(ends.at(-1) ?? 0).toBe(text.length);
      for (const [index, end] of ends.entries()) {
        expect(end - (ends[index - 1] ?? 0)).toBeGreaterThan(0);
        expect(end - (ends[index - 1] ?? 0)).toBeLessThanOrEqual(177);
        expect(text.slice(end - 1, end + 1)).not.toBe('😀');
      }
    }),
  );
});

test.each(Object.entries(TEXTS))('stretches of %s have the tokens of the whole', async (_, text) => {
  expect(Math.abs((await countTokens(text)) / o200k(text) - 1)).toBeLessThan(0.01);
});

describe('the tokens of a piece', () => {
  const prose = 'The receiver shall acknowledge every frame. '.repeat(100);
  const text = `${prose}${'∑ᵢ aᵢ·bᵢ≠∅ '.repeat(200)}${prose}`;

  test('are near what o200k counts of it, wherever it begins and ends', async () => {
    const between = tokensBetween(text, await createTokenCounter()(text));
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(text.length), (one, other) => {
        const [start, end] = [Math.min(one, other), Math.max(one, other)];
        const counted = o200k(text.slice(start, end));
        expect(Math.abs(between(start, end) - counted)).toBeLessThan(12 + counted * 0.02);
      }),
    );
  });

  test('add up to the whole', async () => {
    const count = await createTokenCounter()(text);
    const between = tokensBetween(text, count);
    expect(between(0, 1000) + between(1000, 5001) + between(5001, text.length)).toBeCloseTo(count.tokens);
    expect(between(0, text.length)).toBe(count.tokens);
  });

  test('are estimated where no stretch was counted, and corrected by the whole', () => {
    const between = tokensBetween(text, { tokens: 8000, maxTokens: 9000 });
    expect(between(0, text.length)).toBeCloseTo(8000);
    expect(between(prose.length, prose.length + 1000)).toBeGreaterThan(3 * between(0, 1000));
  });
});
