import { describe, expect, test } from 'vitest';
import { occurrencesOf } from '../../../src/evidence/match/occurrences.ts';

function byHand(text: string, needle: string): number[] {
  return Array.from({ length: text.length }, (_, at) => at).filter((at) => text.startsWith(needle, at));
}

describe('occurrencesOf', () => {
  test('finds every place, overlapping ones too', () => {
    expect(occurrencesOf('abababa', 'aba')).toEqual([0, 2, 4]);
    expect(occurrencesOf('abc', '')).toEqual([]);
    expect(occurrencesOf('ab', 'abc')).toEqual([]);
  });

  test('finds a long needle among many that begin like it', () => {
    const needle = `${'ab'.repeat(900)}c${'ab'.repeat(40)}`;
    const text = `${'ab'.repeat(4_000)}${needle}${'ab'.repeat(3_000)}${needle}${needle}${'ab'.repeat(100)}`;
    expect(occurrencesOf(text, needle)).toEqual(byHand(text, needle));
  });

  test.each([
    ['a'.repeat(3_000_000), `${'a'.repeat(6_000)}b`],
    ['a'.repeat(3_000_000), `b${'a'.repeat(6_000)}`],
    ['ab'.repeat(1_500_000), `${'ab'.repeat(5_000)}a`.replace(/a$/, 'aa')],
    ['a'.repeat(3_000_000), 'a'.repeat(100_000)],
  ])('is linear where text and needle repeat themselves (%#)', { timeout: 5_000 }, (text, needle) => {
    expect(occurrencesOf(text, needle).length).toBeLessThanOrEqual(10);
  });
});
