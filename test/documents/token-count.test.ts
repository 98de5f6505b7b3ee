import { readFileSync } from 'node:fs';
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { countTokens, createTokenCounter } from '../../src/documents/token-count.ts';
import { estimateCount } from '../../src/documents/tokens.ts';

const WORDS = 'The device shall answer every request within a tenth of a second.\n';
const PROSE = readFileSync(new URL('../../fixtures/quickstart/documents/lease-protocol.txt', import.meta.url), 'utf8');

describe('the count', () => {
  test.each([
    ['The device shall answer.', 5],
    ['12345', 2],
    ['Übertragungsgeschwindigkeit', 5],
  ])('of %j is that of o200k: %d', async (text, tokens) => {
    expect(await countTokens(text)).toBe(tokens);
  });

  test('takes what looks like a special token as text', async () => {
    expect(await countTokens('<|endoftext|>')).toBeGreaterThan(3);
  });

  test.each([
    ['100,000 signs in turn', '=-'.repeat(50_000), 6250],
    ['20,000 times one letter', 'a'.repeat(20_000), 2500],
    ['14,000 ideograms', '漢'.repeat(14_000), 14_000],
    ['300,000 spaces', ' '.repeat(300_000), 2344],
    ['line ends and slashes in turn', '/\n'.repeat(50_000), 50_000],
    ['a rule before line ends and slashes', `${'='.repeat(600)}${'/\n'.repeat(50_000)}`, 50_000],
    ['accented letters before signs', `${'e\u0301'.repeat(300)}${'=-'.repeat(50_000)}`, 6850],
  ])('of %s is near that of o200k, which takes them as one piece, and stays quick', async (_, run, about) => {
    const plain = PROSE.repeat(Math.ceil(run.length / PROSE.length));
    const [quick, slow] = [await seconds(() => countTokens(plain)), await seconds(() => countTokens(`${PROSE}${run}\n${PROSE}`))];
    // Unguarded they take up to 16 s, some thousand times as long.
    expect(slow.seconds).toBeLessThan(1 + 20 * quick.seconds);
    expect(slow.value - 2 * (await countTokens(PROSE))).toBeGreaterThan(about * 0.9);
    expect(slow.value - 2 * (await countTokens(PROSE))).toBeLessThan(about * 1.1);
  });
});

async function seconds<Value>(work: () => Promise<Value>): Promise<{ readonly value: Value; readonly seconds: number }> {
  const startedMs = performance.now();
  const value = await work();
  return { value, seconds: (performance.now() - startedMs) / 1000 };
}

describe('a counter', () => {
  test('estimates a short text and counts a long one with o200k', async () => {
    const count = createTokenCounter();
    const [short, long] = [WORDS.repeat(100), WORDS.repeat(400)];
    expect(await count(short)).toEqual(estimateCount(short));
    expect((await count(long)).tokens).toBe(o200k(long));
  });

  test.each([
    ['Amharic', 'መሣሪያው ለእያንዳንዱ ጥያቄ በአምስት ሰከንድ ውስጥ ይመልሳል።\n'],
    ['formulas', '∀x∈ℝ ∃y: x²+y²≤1 ⇒ ∑ᵢ aᵢ·bᵢ ≠ ∅\n'],
    ['contents with leaders', '  3.1.  Retry timers ................................. 17\n'],
  ])('counts %s from a few pages on, since estimates of it may be far off', async (_, line) => {
    const text = line.repeat(Math.ceil(5000 / line.length));
    const { tokens, maxTokens, stretches } = await createTokenCounter()(text);
    expect(Math.abs(tokens / o200k(text) - 1)).toBeLessThan(0.01);
    expect(maxTokens).toBeGreaterThan(tokens);
    expect(stretches?.reduce((sum, count) => sum + count, 0)).toBe(tokens);
  });

  test('estimates what is too long for any model', async () => {
    const huge = PROSE.repeat(Math.ceil(8_000_001 / PROSE.length));
    expect(await createTokenCounter()(huge)).toEqual(estimateCount(huge));
  });

  test('gives a text the same count whatever it counted before', async () => {
    const long = PROSE.repeat(3);
    const busy = createTokenCounter();
    await busy(`${PROSE.toUpperCase()}${long}`);
    expect(await busy(long)).toEqual(await createTokenCounter()(long));
  });
});
