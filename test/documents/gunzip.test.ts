import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { gunzip } from '../../src/documents/gunzip.ts';
import { contentOf, failureOf } from './extracted.ts';

test('a packed file gives the text, the hash and the format of the plain one', async () => {
  const plain = '# A\n\nWords.\n';
  const packed = await contentOf(gzipSync(plain), 'a.md.gz');
  expect(packed).toEqual(await contentOf(plain, 'a.md'));
});

test('a file of several members is read to its end', async () => {
  expect((await contentOf(Buffer.concat([gzipSync('one '), gzipSync('two')]), 'a.gz')).text).toBe('one two');
});

test('what unpacks to more than the limit is refused before it is unpacked', () => {
  expect(() => gunzip(gzipSync(Buffer.alloc(100_000)), 'a.txt.gz', 1000)).toThrow(
    expect.objectContaining({ reason: 'document_unreadable', message: 'it unpacks to more than 1000 bytes, the limit' }),
  );
});

test('one level is unpacked; a damaged file and an empty one are told', async () => {
  expect(await failureOf(gzipSync(gzipSync('x')), 'a.gz.gz')).toBe(
    'document_unreadable: it looks like gzip inside gzip, which is not supported',
  );
  expect(await failureOf(gzipSync('words and words').subarray(0, 20), 'a.gz')).toMatch(/^document_broken: the gzip file is damaged: /);
  expect(await failureOf(gzipSync(''), 'a.txt.gz')).toBe('document_empty: the file is empty (0 bytes)');
});
