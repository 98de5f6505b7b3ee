import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/domain/canonical-json.ts';
import type { CheckSpec } from '../../src/domain/manifest/resolved.ts';
import { canonicalPages, canonicalText } from '../evidence/canonical.ts';
import { scoreOf } from './checked.ts';

const DOCUMENT = canonicalPages([
  'The lock bit MUST NOT be cleared by software.',
  'A reader waits for 1023 ticks. The lock bit is bit 31.',
]);
const TRUE_QUOTE = 'A reader waits for 1023 ticks.';
const ALTERED_QUOTE = 'A reader waits for 1032 ticks.';

function check(spec: Partial<Extract<CheckSpec, { type: 'evidence' }>> = {}): CheckSpec {
  return { id: 'quotes', type: 'evidence', severity: 'must', at: '/findings/*/quote', minChars: 12, minVerified: 0, page: null, ...spec };
}

const findings = (...quotes: Json[]): Json => ({ findings: quotes.map((quote) => ({ quote })) });

describe('the verdict', () => {
  test.each<[string, CheckSpec, Json, string, number | null, string]>([
    ['passes when every quote stands', check(), findings(TRUE_QUOTE), 'pass', 1, ''],
    [
      'fails when one is rejected',
      check(),
      findings(TRUE_QUOTE, ALTERED_QUOTE),
      'fail',
      1,
      '1 of 2 quotes rejected: /findings/1/quote 1023 → 1032 (altered)',
    ],
    [
      'names an invented quote',
      check(),
      findings('Nobody wrote this sentence down.'),
      'fail',
      0,
      '1 of 1 quote rejected: /findings/0/quote "Nobody wrote this sentence down." (not found)',
    ],
    [
      'fails when a quote is too short',
      check({ minChars: 40 }),
      findings(TRUE_QUOTE),
      'fail',
      0,
      '1 of 1 quote rejected: /findings/0/quote "A reader waits for 1023 ticks." (too short)',
    ],
    ['passes without a quote, and says so', check(), findings(), 'pass', 0, 'no quote at /findings/*/quote'],
    [
      'fails when fewer stand than asked',
      check({ minVerified: 2 }),
      findings(TRUE_QUOTE),
      'fail',
      1,
      'expected at least 2 verified quotes, got 1',
    ],
    [
      'fails when some are asked and none came',
      check({ minVerified: 1 }),
      findings(),
      'fail',
      0,
      'expected at least 1 verified quote, got 0',
    ],
    ['fails when a quote is no string', check(), findings(TRUE_QUOTE, 7), 'fail', 1, 'expected a quote at /findings/1/quote, got 7'],
  ])('%s', (_, spec, answer, verdict, value, explanation) => {
    expect(scoreOf(spec, answer, DOCUMENT)).toMatchObject({
      check: 'quotes',
      type: 'evidence',
      severity: 'must',
      verdict,
      value,
      explanation,
    });
  });

  test('a text answer can be a quote as a whole', () => {
    expect(scoreOf(check({ at: '' }), TRUE_QUOTE, DOCUMENT)).toMatchObject({ verdict: 'pass', findings: [{ at: '', quote: TRUE_QUOTE }] });
  });
});

describe('a finding', () => {
  test('holds the model’s words, their place in the answer and the evidence', () => {
    const start = DOCUMENT.text.indexOf(TRUE_QUOTE);
    expect(scoreOf(check(), findings(TRUE_QUOTE), DOCUMENT).findings).toEqual([
      {
        at: '/findings/0/quote',
        quote: TRUE_QUOTE,
        pageClaimed: null,
        pageCorrected: false,
        evidence: {
          status: 'verified',
          tier: 'verbatim',
          reason: null,
          diff: null,
          occurrences: 1,
          position: { page: 2, pageLabel: null, section: null, line: 1, start, end: start + TRUE_QUOTE.length },
          text: TRUE_QUOTE,
        },
      },
    ]);
  });

  test.each<[string, Json, number | null, boolean]>([
    ['the right page', 2, 2, false],
    ['the wrong page', 1, 1, true],
    ['a page in words', 'p. 2', 2, false],
    ['a page in digits', '1', 1, true],
    ['no page', null, null, false],
    ['nonsense', { n: 1 }, null, false],
  ])('with %s says what was claimed and whether it was corrected', (_, page, pageClaimed, pageCorrected) => {
    const answer = { findings: [{ quote: TRUE_QUOTE, place: { page } }] };
    const score = scoreOf(check({ page: '/place/page' }), answer, DOCUMENT);
    expect(score).toMatchObject({ verdict: 'pass', findings: [{ pageClaimed, pageCorrected }] });
  });

  test('is found on the claimed page when it stands on several', () => {
    const document = canonicalPages(['The bus is idle now.', 'The bus is idle now.', 'The bus is idle now.']);
    const answer = { findings: [{ quote: 'The bus is idle now.', page: 3 }] };
    expect(scoreOf(check({ page: 'page' }), answer, document).findings).toMatchObject([
      { pageClaimed: 3, pageCorrected: false, evidence: { occurrences: 3, position: { page: 3 } } },
    ]);
  });

  test('of a document without pages is not corrected', () => {
    const answer = { findings: [{ quote: TRUE_QUOTE, page: 9 }] };
    const score = scoreOf(check({ page: 'page' }), answer, canonicalText(DOCUMENT.text));
    expect(score.findings).toMatchObject([{ pageClaimed: 9, pageCorrected: false }]);
  });
});
