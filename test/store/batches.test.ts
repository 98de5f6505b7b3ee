import { expect, test } from 'vitest';
import { batchesOf } from '../../src/store/batches.ts';
import { chunk, job } from './rows.ts';

const inParts = (count: number) => job('j', 0, { steps: Array.from({ length: count }, (_, index) => chunk(`k${index}`, index)) });
const sizes = (...parts: number[]) => [...batchesOf(parts.map(inParts))].map((batch) => batch.map(({ steps }) => steps.length));

test('jobs with their parts are inserted in transactions of 250 rows at most, each job whole', () => {
  expect(sizes()).toEqual([]);
  expect(sizes(100, 147, 1)).toEqual([[100, 147], [1]]);
  expect(sizes(100, 148, 1)).toEqual([[100, 148], [1]]);
  expect(sizes(100, 149, 1)).toEqual([[100], [149, 1]]);
  expect(sizes(2000, 1, 300)).toEqual([[2000], [1], [300]]);
  const many = [...batchesOf(Array.from({ length: 1000 }, () => inParts(1)))];
  expect(many.flat()).toHaveLength(1000);
  expect(many.map(({ length }) => length)).toEqual(Array.from({ length: 8 }, () => 125));
});
