import { expect, test } from 'vitest';
import { size } from '../../src/domain/size.ts';

test('bytes are written in the unit that a person reads', () => {
  expect([0, 999, 1000, 1234, 9949, 9950, 999_499, 999_500, 34_000_000, 1.2e9, 5e15].map(size)).toEqual([
    ...['0 B', '999 B', '1.0 kB', '1.2 kB', '9.9 kB', '10 kB', '999 kB', '1.0 MB', '34 MB', '1.2 GB', '5000 TB'],
  ]);
});
