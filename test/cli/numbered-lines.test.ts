import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { numberedLines } from '../../src/cli/numbered-lines.ts';

async function linesOf(...chunks: string[]): Promise<(readonly [number, string | null])[]> {
  const lines = [];
  for await (const { number, text } of numberedLines(Readable.from(chunks))) lines.push([number, text] as const);
  return lines;
}

test('lines are joined over chunks and numbered with the empty ones that are left out', async () => {
  expect(await linesOf('a', 'b\n\ncd', '\n', 'e\u2028f')).toEqual([
    [1, 'ab'],
    [3, 'cd'],
    [4, 'e\u2028f'],
  ]);
  expect(await linesOf()).toEqual([]);
  expect(await linesOf('\n', '\n')).toEqual([]);
});

test('a line without an end does not fill the memory: it is told, and the next one is read', async () => {
  const megabytes = 'x'.repeat(1024 * 1024);
  expect(await linesOf('a\n', ...Array.from({ length: 65 }, () => megabytes), '\nb')).toEqual([
    [1, 'a'],
    [2, null],
    [3, 'b'],
  ]);
});
