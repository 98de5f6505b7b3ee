import { expect, test } from 'vitest';
import { placeIn } from '../../src/artifacts/place-in.ts';

test('a name that leads out of its folder has no place in it', () => {
  expect(placeIn('/runs/r-1', 'jobs/abc/result.json')).toBe('/runs/r-1/jobs/abc/result.json');
  expect(placeIn('/runs', '..names')).toBe('/runs/..names');
  for (const path of ['jobs/../../../etc/result.json', '..', 'texts/../../x.txt']) {
    expect(() => placeIn('/runs/r-1', path)).toThrow('leads out of /runs/r-1; nothing was written there');
  }
});
