import { expect, test } from 'vitest';
import { sha256Hex } from '../../src/domain/canonical-json.ts';
import { DigestSet } from '../../src/engine/digest-set.ts';

test('a set of digests knows each that was added, also once it has grown', () => {
  const set = new DigestSet();
  const digests = Array.from({ length: 20_000 }, (_, n) => sha256Hex(String(n)));
  expect(digests.filter((digest) => !set.add(digest))).toEqual([]);
  expect(digests.filter((digest) => set.add(digest))).toEqual([]);
});

test('a set of digests tells those apart that begin alike, or with zeros', () => {
  const set = new DigestSet();
  const rest = '0'.repeat(32);
  const added = ['00000000', '00000400', '00000800'].flatMap((begin) => [
    `${begin}${'0'.repeat(24)}${rest}`,
    `${begin}${'0'.repeat(23)}1${rest}`,
  ]);
  expect(added.map((digest) => set.add(digest))).toEqual(added.map(() => true));
  expect(added.map((digest) => set.add(digest))).toEqual(added.map(() => false));
});
