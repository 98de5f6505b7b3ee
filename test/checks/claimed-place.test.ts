import { expect, test } from 'vitest';
import { claimedPlace } from '../../src/checks/claimed-place.ts';
import type { Json } from '../../src/domain/canonical-json.ts';
import { canonicalPages } from '../evidence/canonical.ts';

const DOCUMENT = canonicalPages(['Preface.', 'More of it.', 'Chapter.'], 'pdf', ['iii', 'iv', 'A-1']);
const SPEC = {
  id: 'e',
  type: 'evidence',
  severity: 'must',
  at: '/quote',
  minChars: 3,
  minVerified: 0,
  page: '/page',
  line: null,
  elided: 'accept',
  absence: 'review',
} as const;

test.each<[Json, number | null]>([
  ['iv', 2],
  ['p. IV', 2],
  ['page A-1', 3],
  [3, 3],
  ['p. 3', 3],
  ['xi', null],
  ['', null],
])('the page %j is %j', (page, expected) => {
  expect(claimedPlace(SPEC, { quote: 'Chapter.', page }, '/quote', DOCUMENT).page).toBe(expected);
});
