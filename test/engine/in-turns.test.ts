import { expect, test } from 'vitest';
import { inTurns } from '../../src/engine/in-turns.ts';

test('items come in chunks, all of them in their order', async () => {
  const chunks: (readonly number[])[] = [];
  for await (const chunk of inTurns([1, 2, 3, 4, 5], 2)) chunks.push(chunk);
  expect(chunks).toEqual([[1, 2], [3, 4], [5]]);
});

test('others get their turn while a large chunk is made', async () => {
  let turns = 0;
  const tick = (): void => {
    turns += 1;
    if (turns < 1000) setImmediate(tick);
  };
  setImmediate(tick);
  function* seen(): Generator<number> {
    for (let n = 0; n < 1000; n += 1) yield turns;
  }
  for await (const chunk of inTurns(seen(), 1000)) expect(new Set(chunk).size).toBeGreaterThan(5);
});
