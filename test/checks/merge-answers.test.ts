import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type MergedAnswer, mergeAnswers } from '../../src/checks/merge-answers.ts';
import type { MergeInput, PartAnswer } from '../../src/checks/merge-input.ts';
import type { Json } from '../../src/domain/canonical-json.ts';
import type { CanonicalText } from '../../src/domain/document.ts';
import type { CheckSpec } from '../../src/domain/manifest/resolved.ts';
import { createEvidenceIndex } from '../../src/evidence/evidence-index.ts';
import { canonicalText } from '../evidence/canonical.ts';

const SENTENCES = [
  'The pump starts within two seconds.',
  'A valve closes at ninety degrees.',
  'The alarm sounds when the tank is full.',
  'Every sensor reports once a minute.',
  'The pump starts within two seconds.',
];
const DOCUMENT = canonicalText(SENTENCES.join('\n'));
/** Parts of two sentences, of which each has one in common with the next. */
const SPANS = [0, 1, 2, 3].map((i) => ({ start: startOf(i), end: startOf(i + 1) + (SENTENCES[i + 1] ?? '').length }));

function startOf(sentence: number): number {
  return SENTENCES.slice(0, sentence).reduce((sum, { length }) => sum + length + 1, 0);
}

function quotes(at: string): CheckSpec {
  const rest = { minChars: 3, minVerified: 0, page: null, line: null, elided: 'accept', absence: 'review' } as const;
  return { id: at, type: 'evidence', severity: 'must', at, ...rest };
}

function merged(answers: readonly Json[], more: Partial<MergeInput> = {}, document: CanonicalText = DOCUMENT): MergedAnswer {
  const parts: PartAnswer[] = answers.map((answer, i) => ({ part: SPANS[i] ?? { start: 0, end: 0 }, answer }));
  const rule = { array: ['/findings'], dedupe: 'evidence' } as const;
  const input = { document, parts, rule, checks: [quotes('/findings/*/quote')], ...more };
  return mergeAnswers(input, () => createEvidenceIndex(document));
}

const finding = (sentence: number, more: { readonly [name: string]: Json } = {}) => ({ quote: SENTENCES[sentence] ?? '', ...more });

describe('the answers about parts', () => {
  test('become one array in their order, and each item tells its part', () => {
    expect(merged([{ findings: [finding(0)] }, { findings: [finding(2)] }])).toEqual({
      answer: { findings: [finding(0), finding(2)] },
      origins: [
        { pointer: '/findings/0', span: SPANS[0] },
        { pointer: '/findings/1', span: SPANS[1] },
      ],
      differing: [],
    });
  });

  test.each<[string, Json]>([
    ['is missing', {}],
    ['is null', { findings: null }],
    ['is empty', { findings: [] }],
  ])('count as empty where the array %s', (_, empty) => {
    expect(merged([{ findings: [finding(0)] }, empty])).toMatchObject({ answer: { findings: [finding(0)] }, differing: [] });
    expect(merged([empty, empty])).toMatchObject({ answer: { findings: [] }, origins: [], differing: [] });
  });

  test('that hold something else in its place are not joined in silence', () => {
    expect(merged([{ findings: [finding(0)] }, { findings: 'none' }]).differing).toEqual(['/findings']);
  });

  test('keep what all say alike, and name what they say differently or only some say', () => {
    const { answer, differing } = merged([
      { findings: [], language: 'en', meta: { 'a/b': 1, version: 1 }, only: true },
      { findings: [], language: 'en', meta: { version: 2, 'a/b': 1 } },
    ]);
    expect(answer).toEqual({ findings: [], language: 'en', meta: { 'a/b': 1 } });
    expect(differing).toEqual(['/meta/version', '/only']);
  });

  test('can be arrays themselves, or hold theirs deeper', () => {
    const whole = { rule: { array: [''], dedupe: 'evidence' }, checks: [quotes('/*')] } as const;
    expect(merged([[SENTENCES[0] ?? ''], [SENTENCES[2] ?? '']], whole)).toMatchObject({
      answer: [SENTENCES[0], SENTENCES[2]],
      origins: [{ pointer: '/0' }, { pointer: '/1' }],
      differing: [],
    });
    const deep = { rule: { array: ['/report/claims'], dedupe: 'evidence' }, checks: [] } as const;
    expect(merged([{ report: { claims: [1] } }, {}, { report: null }], deep)).toMatchObject({
      answer: { report: { claims: [1] } },
      differing: [],
    });
  });

  test('of texts stay when they are equal', () => {
    const texts = { rule: { array: [], dedupe: 'none' } } as const;
    expect(merged(['yes', 'yes'], texts)).toMatchObject({ answer: 'yes', differing: [] });
    expect(merged(['yes', 'no'], texts).differing).toEqual(['']);
  });
});

describe('what two parts found in the same words', () => {
  test('is one finding, as the first said it', () => {
    const { answer, origins } = merged([{ findings: [finding(1, { why: 'a' })] }, { findings: [finding(1, { why: 'b' })] }]);
    expect(answer).toEqual({ findings: [finding(1, { why: 'a' })] });
    expect(origins).toEqual([{ pointer: '/findings/0', span: SPANS[0] }]);
  });

  test('also with other white space in the quote', () => {
    const broken = { quote: 'A valve closes\nat ninety  degrees.' };
    expect(merged([{ findings: [finding(1)] }, { findings: [broken] }]).answer).toEqual({ findings: [finding(1)] });
  });

  test('stays twice when it stands at two places', () => {
    const { answer } = merged([{ findings: [finding(0)] }, {}, {}, { findings: [finding(4)] }]);
    expect(answer).toEqual({ findings: [finding(0), finding(4)] });
  });

  test('also with another full stop, or quotation marks', () => {
    const bare = { quote: '"A valve closes at ninety degrees"' };
    expect(merged([{ findings: [finding(1)] }, { findings: [bare] }]).answer).toEqual({ findings: [finding(1)] });
  });

  test('is one where both parts say the same without a quote, or with one that stands nowhere', () => {
    for (const quote of [null, 'Nobody wrote this sentence.']) {
      const equal = { findings: [{ quote, why: 'a' }] };
      expect(merged([equal, equal]).answer).toEqual(equal);
      expect(merged([equal, { findings: [{ quote, why: 'b' }] }]).answer).toHaveProperty('findings.length', 2);
    }
  });

  test('stays twice when it is quoted in another field', () => {
    const other = { ...quotes('/findings/*/other') };
    const fields = merged([{ findings: [finding(1)] }, { findings: [{ other: SENTENCES[1] ?? '' }] }], {
      checks: [quotes('/findings/*/quote'), other],
    });
    expect(fields.answer).toHaveProperty('findings.length', 2);
  });

  test('stays twice when one part says two things of it; the twin that is equal goes first', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((why) => finding(1, { why }));
    expect(merged([{ findings: [a ?? null] }, { findings: [b ?? null, a ?? null] }]).answer).toEqual({ findings: [a, b] });
    expect(merged([{ findings: [a ?? null, b ?? null] }, { findings: [c ?? null] }]).answer).toEqual({ findings: [a, b] });
  });

  test('stays twice when nobody asked to count it once, or no check says where quotes stand', () => {
    const twice = [{ findings: [finding(1)] }, { findings: [finding(1)] }];
    expect(merged(twice, { rule: { array: ['/findings'], dedupe: 'none' } }).answer).toHaveProperty('findings.length', 2);
    expect(merged(twice, { checks: [] }).answer).toHaveProperty('findings.length', 2);
  });
});

describe('joined arrays, whatever the parts say', () => {
  const part = fc.array(fc.record({ quote: fc.constantFrom(...SENTENCES), why: fc.constantFrom('a', 'b') }), { maxLength: 4 });
  const answers = fc.array(part, { minLength: 1, maxLength: 4 });

  test('hold each item of some part, no more than were given, and as many of each quote and place as the part with most of it', () => {
    fc.assert(
      fc.property(answers, (parts) => {
        const { answer, origins } = merged(parts.map((findings) => ({ findings })));
        const items = listOf(answer);
        expect(origins.map(({ pointer }) => pointer)).toEqual(items.map((_, i) => `/findings/${i}`));
        items.forEach((item, i) => {
          const from = SPANS.findIndex(({ start }) => start === origins[i]?.span.start);
          expect(parts[from]).toContainEqual(item);
        });
        // The sentence of the first place and of the last is the same, and no part holds both.
        for (const quote of new Set(SENTENCES.slice(0, 4))) {
          const counts = parts.map((findings) => findings.filter((each) => each.quote === quote).length);
          const kept = items.filter((item) => quoteOf(item) === quote).length;
          expect(kept).toBeGreaterThanOrEqual(Math.max(...counts));
          expect(kept).toBeLessThanOrEqual(counts.reduce((sum, count) => sum + count, 0));
          if (quote !== SENTENCES[0]) expect(kept).toBe(Math.max(...counts));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('are the same again when they are joined with nothing, or twice', () => {
    fc.assert(
      fc.property(answers, (parts) => {
        const given = parts.map((findings) => ({ findings }));
        const once = merged(given);
        expect(merged(given)).toEqual(once);
        expect(merged([...given, ...SPANS.slice(given.length).map(() => ({}))])).toEqual(once);
      }),
    );
  });

  test('without a rule hold everything', () => {
    fc.assert(
      fc.property(answers, (parts) => {
        const { answer } = merged(
          parts.map((findings) => ({ findings })),
          { rule: { array: ['/findings'], dedupe: 'none' } },
        );
        expect(answer).toEqual({ findings: parts.flat() });
      }),
    );
  });
});

function listOf(answer: Json): readonly Json[] {
  const items: unknown = answer !== null && typeof answer === 'object' && 'findings' in answer ? answer.findings : [];
  return Array.isArray(items) ? items : [];
}

function quoteOf(item: Json): Json {
  return item !== null && typeof item === 'object' && 'quote' in item ? (item.quote ?? null) : null;
}
