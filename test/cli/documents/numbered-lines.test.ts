import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { numberedLines } from '../../../src/cli/documents/numbered-lines.ts';

async function linesOf(...chunks: (string | Buffer)[]): Promise<(readonly [number, string])[]> {
  const lines = [];
  for await (const line of numberedLines(Readable.from(chunks))) {
    lines.push([line.number, 'text' in line ? line.text : `!${line.problem}`] as const);
  }
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
    [2, '!longer than a line can be'],
    [3, 'b'],
  ]);
});

test('a character may stand in two chunks; bytes that are none are told, and cost no other line', async () => {
  const bytes = Buffer.from('é\n✓\n');
  expect(await linesOf(...Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual([
    [1, 'é'],
    [2, '✓'],
  ]);
  expect(await linesOf(Buffer.concat([Buffer.from('a\n'), Buffer.from([0xe9, 0x0a]), Buffer.from('b')]))).toEqual([
    [1, 'a'],
    [2, '!not UTF-8'],
    [3, 'b'],
  ]);
});

test('byte order marks and the UTF-16 of Windows shells are read', async () => {
  expect(await linesOf('\ufeffa\n\ufeffb')).toEqual([
    [1, 'a'],
    [2, 'b'],
  ]);
  const little = Buffer.from('\ufeffé✓\nb\n', 'utf16le');
  const big = Buffer.from(little).swap16();
  for (const bytes of [little, big]) {
    for (const size of [1, 3, bytes.length]) {
      const chunks = [];
      for (let start = 0; start < bytes.length; start += size) chunks.push(bytes.subarray(start, start + size));
      expect(await linesOf(...chunks)).toEqual([
        [1, 'é✓'],
        [2, 'b'],
      ]);
    }
  }
});
