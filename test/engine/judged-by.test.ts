import { expect, test } from 'vitest';
import { canonicalJson, sha256Hex } from '../../src/domain/canonical-json.ts';
import type { CheckSpec } from '../../src/domain/manifest/resolved.ts';
import { judgedByOf } from '../../src/engine/judged-by.ts';

const BEFORE = { id: 'quotes', type: 'evidence', severity: 'must', at: '/quote', minChars: 12, minVerified: 0, page: null } as const;
const NOW: CheckSpec = { ...BEFORE, line: null, elided: 'accept', absence: 'review' };
const RANGE: CheckSpec = { id: 'range', type: 'range', severity: 'must', at: '/n', min: 1, max: null };

const judgedBy = (...checks: CheckSpec[]): string => judgedByOf({ checks, aggregate: 'majority', chunk: null, merge: null });

test('fields that came later count only where they change something', () => {
  expect(judgedBy(NOW, RANGE)).toBe(sha256Hex(canonicalJson({ checks: [BEFORE, RANGE], aggregate: 'majority' })));
  const others: CheckSpec[] = [
    { ...NOW, line: '/line' },
    { ...NOW, elided: 'review' },
    { ...NOW, absence: 'accept' },
    { ...NOW, minChars: 3 },
  ];
  expect(new Set([NOW, ...others].map((check) => judgedBy(check))).size).toBe(5);
});
