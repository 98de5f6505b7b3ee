import fc from 'fast-check';
import { expect, test } from 'vitest';
import { badBytesOf } from '../../../src/documents/charset/bad-bytes.ts';
import { decodeStrictUtf8 } from '../../../src/documents/charset/utf8.ts';

const firstBadUtf8Byte = (bytes: Uint8Array): number => badBytesOf(bytes).offsets[0] ?? -1;

const byteish = fc.oneof(fc.nat(255), fc.constantFrom(0xc2, 0xe0, 0xed, 0xf0, 0xf4, 0x80, 0x9f, 0xa0, 0xbf));

test('a bad byte is found exactly when the bytes do not decode', () => {
  fc.assert(
    fc.property(fc.array(byteish, { maxLength: 12 }), (values) => {
      const bytes = Uint8Array.from(values);
      expect(firstBadUtf8Byte(bytes) === -1).toBe(decodeStrictUtf8(bytes) !== null);
    }),
  );
});

test('what stands before the bad byte is valid', () => {
  fc.assert(
    fc.property(fc.array(byteish, { maxLength: 12 }), (values) => {
      const bytes = Uint8Array.from(values);
      const bad = firstBadUtf8Byte(bytes);
      if (bad >= 0) expect(decodeStrictUtf8(bytes.subarray(0, bad))).not.toBeNull();
    }),
  );
});
