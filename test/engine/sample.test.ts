import { describe, expect, test } from 'vitest';
import { sampled } from '../../src/engine/sample.ts';

const DOCUMENTS = Array.from({ length: 100 }, (_, index) => ({ documentId: `specs/${String(index).padStart(3, '0')}.md` }));

const ids = (documents: readonly { documentId: string }[]) => documents.map(({ documentId }) => documentId);
const sample = (fraction: number, seed = 0, documents: readonly { documentId: string }[] = DOCUMENTS) =>
  ids(sampled(documents, { fraction, seed }));

describe('a sample', () => {
  test('has its share of the documents, in their order', () => {
    const chosen = sample(0.1);
    expect(chosen).toHaveLength(10);
    expect(chosen).toEqual([...chosen].sort());
  });

  test('is the same on every machine, in every order', () => {
    expect(sample(0.03)).toEqual(['specs/044.md', 'specs/062.md', 'specs/095.md']);
    expect(sample(0.03, 0, [...DOCUMENTS].reverse()).sort()).toEqual(sample(0.03));
  });

  test('of a larger share holds all of a smaller one', () => {
    for (const [smaller, larger] of [
      [0.01, 0.05],
      [0.05, 0.5],
      [0.5, 0.99],
    ] as const) {
      expect(sample(larger)).toEqual(expect.arrayContaining(sample(smaller)));
    }
  });

  test('of another seed has other documents', () => {
    expect(sample(0.1, 1)).not.toEqual(sample(0.1));
  });

  test('has at least one document, and none where there are none', () => {
    expect(sample(0.001)).toHaveLength(1);
    expect(sample(0.5, 0, [])).toEqual([]);
  });

  test('of the whole, or none asked for, is everything', () => {
    expect(sample(1)).toEqual(ids(DOCUMENTS));
    expect(sampled(DOCUMENTS, null)).toBe(DOCUMENTS);
  });
});
