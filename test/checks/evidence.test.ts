import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/domain/canonical-json.ts';
import type { CanonicalText } from '../../src/domain/document.ts';
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
  return {
    id: 'quotes',
    type: 'evidence',
    severity: 'must',
    at: '/findings/*/quote',
    minChars: 12,
    minVerified: 0,
    page: null,
    line: null,
    elided: 'accept',
    absence: 'review',
    ...spec,
  };
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
      '1 of 1 quote rejected: /findings/0/quote "Nobody wrote this sentence down." (not in the document)',
    ],
    [
      'fails when a quote is too short',
      check({ minChars: 40 }),
      findings(TRUE_QUOTE),
      'fail',
      0,
      '1 of 1 quote rejected: /findings/0/quote "A reader waits for 1023 ticks." (too short to prove anything)',
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
          seen: true,
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

describe('what only a person can decide', () => {
  const document = canonicalText(
    '# Pump\n\nThe pump starts within two seconds, if the tank is not empty, after power returns.\n\nA valve closes.\n',
  );
  const seenTo = (end: number) => ({ seen: [{ start: 0, end }] });
  const at = (words: string) => document.text.indexOf(words);

  test('is a quote from what was not in the prompt', () => {
    const score = scoreOf(check(), findings('A valve closes.'), document, seenTo(at('A valve')));
    expect(score).toMatchObject({
      verdict: 'review',
      value: 1,
      explanation: '1 of 1 quote from what was not in the prompt: /findings/0/quote "A valve closes." (verified)',
      findings: [{ evidence: { status: 'verified', seen: false } }],
    });
    expect(scoreOf(check(), findings('A valve closes.'), document)).toMatchObject({
      verdict: 'pass',
      findings: [{ evidence: { seen: true } }],
    });
  });

  test('is a misspelt quote', () => {
    const text = canonicalText('After power returns, all installed systems are likely to start within two seconds.');
    const score = scoreOf(check(), findings('all installed systms are likely to start within two seconds'), text);
    expect(score).toMatchObject({
      verdict: 'review',
      value: 0,
      explanation: '1 of 1 quote only near: /findings/0/quote systems → systms (near, but not the same)',
      findings: [{ evidence: { status: 'near' } }],
    });
  });

  test('is never what a rejected quote is, nor better than what it is', () => {
    const both = findings('A valve closes.', 'A valve opens.');
    expect(scoreOf(check(), both, document, seenTo(10)).verdict).toBe('fail');
    const few = scoreOf(check({ minVerified: 5 }), findings('A valve closes.'), document, seenTo(10));
    expect(few.verdict).toBe('review');
  });
});

describe('a quote with an honest ellipsis', () => {
  const document = canonicalText('The pump starts within two seconds. It is red. The valve closes after the pump has stopped.');
  const QUOTE = 'The pump starts within two seconds. ... The valve closes after the pump has stopped.';

  test('stands, unless the check sends it to a person, with what was left out', () => {
    expect(scoreOf(check(), findings(QUOTE), document)).toMatchObject({ verdict: 'pass', value: 1, explanation: '' });
    const strict = scoreOf(check({ elided: 'review' }), findings(QUOTE), document);
    expect(strict).toMatchObject({ verdict: 'review', value: 1 });
    expect(strict.explanation).toContain('1 of 1 quote with words left out: /findings/0/quote "The pump starts');
    expect(strict.explanation).toContain('(parts left out, without "It is red.")');
  });
});

describe('null in the place of a quote', () => {
  const lines = ['# Manual', '', '## Pump', '', 'The pump starts.', '', '## Valve', '', 'The valve closes.', ''];
  const text = lines.join('\n');
  const document: CanonicalText = {
    ...canonicalText(text),
    sections: [
      { title: 'Manual', level: 1, start: 0, end: text.length },
      { title: 'Pump', level: 2, start: text.indexOf('## Pump'), end: text.indexOf('## Valve') },
      { title: 'Valve', level: 2, start: text.indexOf('## Valve'), end: text.length },
    ],
  };
  const pump = { start: 0, end: text.indexOf('## Valve') };

  test('is the claim that the document does not say it, shown with what was searched', () => {
    expect(scoreOf(check(), findings('The pump starts.', null), document)).toMatchObject({
      verdict: 'review',
      value: 1,
      explanation: '1 claim that the document does not say it: /findings/1/quote is null (the whole document was searched)',
      absences: [{ at: '/findings/1/quote', searched: ['Pump', 'Valve'], sections: { seen: 3, of: 3 }, whole: true }],
    });
  });

  test.each([
    ['accept', 'pass'],
    ['review', 'review'],
    ['fail', 'fail'],
  ] as const)('is worth what the check says: %s', (absence, verdict) => {
    expect(scoreOf(check({ absence }), findings(null), document).verdict).toBe(verdict);
  });

  test('proves nothing where a part was not searched, or a page is lost', () => {
    const seen = scoreOf(check({ absence: 'accept' }), findings(null), document, { seen: [pump] });
    expect(seen).toMatchObject({ verdict: 'review', absences: [{ searched: ['Pump'], sections: { seen: 2, of: 3 }, whole: false }] });
    const lost = { ...document, lostPages: [{ number: 1, label: null, why: 'cannot be read' }] };
    expect(scoreOf(check({ absence: 'accept' }), findings(null), lost)).toMatchObject({ verdict: 'review', absences: [{ whole: false }] });
  });

  test('in the answer about a part speaks for that part', () => {
    const origins = [{ pointer: '/findings/0', span: pump }];
    const score = scoreOf(check(), findings(null, null), document, { origins });
    expect(score.absences).toMatchObject([
      { at: '/findings/0/quote', searched: ['Pump'], whole: false },
      { at: '/findings/1/quote', searched: ['Pump', 'Valve'], whole: true },
    ]);
  });

  test('is none where nothing is null', () => {
    expect(scoreOf(check(), findings('The pump starts.'), document)).not.toHaveProperty('absences');
  });
});

describe('a line that the answer names', () => {
  const document = canonicalText('The first line stands here.\nThe second line goes on\nin the third one.\nThe fourth line ends.');
  const named = (quote: string, line: Json): Json => ({ findings: [{ quote, line }] });
  const lineOf = (quote: string, line: Json) => scoreOf(check({ line: '/line' }), named(quote, line), document).findings[0];

  test('is corrected, not refused', () => {
    expect(lineOf('The fourth line ends.', 4)).toMatchObject({ lineClaimed: 4, lineCorrected: false });
    expect(lineOf('The fourth line ends.', 'line 3')).toMatchObject({
      lineClaimed: 3,
      lineCorrected: true,
      evidence: { status: 'verified', position: { line: 4 } },
    });
    expect(lineOf('The second line goes on in the third one.', 3)).toMatchObject({ lineCorrected: false });
    expect(lineOf('The fourth line ends.', null)).toMatchObject({ lineClaimed: null, lineCorrected: false });
  });

  test('is of no account where the check does not ask', () => {
    expect(scoreOf(check(), named('The fourth line ends.', 1), document).findings[0]).not.toHaveProperty('lineClaimed');
  });
});

describe('a quote that the document does not have', () => {
  const document = canonicalText('The pump starts within two seconds.');
  const STRANGER = 'Every ladder must be inspected before the shift begins.';

  test('is known as the question’s own words', () => {
    const score = scoreOf(check(), findings(STRANGER), document, { promptText: `Answer like this: "${STRANGER}"` });
    expect(score).toMatchObject({ verdict: 'fail', findings: [{ evidence: { reason: 'from_prompt' } }] });
    expect(score.explanation).toContain('(taken from the prompt)');
  });

  test('is known as another document’s', () => {
    const score = scoreOf(check(), findings(STRANGER), document, { elsewhere: { [STRANGER]: 'specs/ladders.md' } });
    expect(score).toMatchObject({
      verdict: 'fail',
      findings: [{ evidence: { reason: 'from_other_document', source: 'specs/ladders.md' } }],
    });
    expect(score.explanation).toContain('(taken from another document specs/ladders.md)');
  });
});

test('a quote of a joined answer is found in the part that it came from', () => {
  const document = canonicalText('The bus is idle now.\nOther words stand here.\nThe bus is idle now.');
  const second = { start: document.text.lastIndexOf('The bus'), end: document.text.length };
  const origins = [{ pointer: '/findings/0', span: second }];
  expect(scoreOf(check(), findings('The bus is idle now.'), document, { origins }).findings).toMatchObject([
    { evidence: { occurrences: 2, position: { line: 3 } } },
  ]);
});

test('a quote carries what stands beside it, also in an answer that was joined of parts', () => {
  const answer = { findings: [{ quote: TRUE_QUOTE, problem: 'No upper bound.' }, { quote: ALTERED_QUOTE }] };
  for (const origins of [[], [{ pointer: '/findings/0', span: { start: 0, end: DOCUMENT.text.length } }]]) {
    const [first, second] = scoreOf(check(), answer, DOCUMENT, { origins }).findings;
    expect(first?.beside).toEqual({ problem: 'No upper bound.' });
    expect(second).not.toHaveProperty('beside');
  }
});
