import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ResultLine } from '../../src/domain/result-line.ts';
import { summaryJson } from '../../src/report/json.ts';
import { createSummary, summarize } from '../../src/report/summarize.ts';
import { altered, broken, failed, finding, header, invented, line, score } from './sample.ts';

const REPEATED = { claims: { repeats: 3, aggregate: 'majority' as const } };

function repeats(verdicts: readonly ('pass' | 'fail' | 'review' | 'error')[], over: Partial<ResultLine> = {}): readonly ResultLine[] {
  return verdicts.map((verdict, repeat) => (verdict === 'error' ? broken({ repeat, ...over }) : line({ verdict, repeat, ...over })));
}

describe('summarize', () => {
  test('counts results over their repeats and jobs one by one', () => {
    const summary = summarize(header({ jobs: 12, tasks: REPEATED }), [
      ...repeats(['pass', 'pass', 'fail']),
      ...repeats(['fail', 'fail', 'pass'], { document: 'b.md' }),
      ...repeats(['pass', 'error', 'error'], { document: 'c.pdf' }),
      ...repeats(['pass', 'fail', 'error'], { document: 'd.html' }),
    ]);
    expect(summary.results).toEqual({ total: 4, open: 0, pass: 1, fail: 1, review: 1, error: 1 });
    expect(summary.jobs).toEqual({ total: 12, open: 0, succeeded: 9, failed: 3, cancelled: 0, cached: 0 });
    expect(summary.verdict).toBe('incomplete');
    expect(summary.failures.kept[0]?.repeats).toEqual({ pass: 1, fail: 2, review: 0, error: 0 });
  });

  test('the order of the lines changes no count', () => {
    const lines = [
      ...repeats(['pass', 'pass', 'fail']),
      ...repeats(['fail', 'review', 'fail'], { document: 'b.md' }),
      ...repeats(['error', 'error', 'pass'], { document: 'c.pdf' }),
    ];
    const counts = summarize(header({ tasks: REPEATED }), lines).results;
    fc.assert(
      fc.property(fc.shuffledSubarray(lines, { minLength: lines.length }), (shuffled) => {
        expect(summarize(header({ tasks: REPEATED }), shuffled).results).toEqual(counts);
      }),
      { numRuns: 50 },
    );
  });

  test('an open job leaves its result open and the run without a verdict', () => {
    const running = header({ jobs: 4, run: { ...header().run, state: 'open', finishedAt: null } });
    const summary = summarize(running, [line(), line({ document: 'b.md', state: 'queued', verdict: null, artifacts: null })]);
    expect(summary.results).toEqual({ total: 2, open: 1, pass: 1, fail: 0, review: 0, error: 0 });
    expect(summary.jobs).toMatchObject({ total: 4, open: 3 });
    expect(summary.verdict).toBeNull();
  });

  test('repeats that are not planned yet leave their result open', () => {
    const planning = header({ tasks: REPEATED, run: { ...header().run, state: 'planning', finishedAt: null } });
    expect(summarize(planning, repeats(['pass', 'pass'])).results).toMatchObject({ total: 1, open: 1, pass: 0 });
  });

  test('a finished run of which jobs are missing is incomplete', () => {
    expect(summarize(header({ jobs: 2 }), [line()])).toMatchObject({ verdict: 'incomplete', jobs: { total: 2, open: 1 } });
  });

  test('a cancelled job could not be evaluated', () => {
    const cancelled = header({ run: { ...header().run, state: 'cancelled' } });
    const summary = summarize(cancelled, [line(), line({ document: 'b.md', state: 'cancelled', verdict: null })]);
    expect(summary.results).toMatchObject({ pass: 1, error: 1 });
    expect(summary.notEvaluated.reasons).toEqual([{ reason: 'cancelled', results: 1 }]);
    expect(summary.verdict).toBe('incomplete');
  });

  test('failures come worst first: share of repeats, then checks, then quotes', () => {
    const one = [score({ verdict: 'fail', findings: [altered] })];
    const two = [score({ verdict: 'fail', findings: [altered, invented] })];
    const summary = summarize(header(), [
      failed({ document: 'one-quote', scores: one }),
      failed({ document: 'two-quotes', scores: two }),
      failed({ document: 'two-checks' }),
      failed({ document: 'two-quotes-later', scores: two }),
    ]);
    expect(summary.failures.kept.map((entry) => entry.document)).toEqual(['two-checks', 'two-quotes', 'two-quotes-later', 'one-quote']);
  });

  test('of very many failures the worst are kept and all are counted', () => {
    const summary = createSummary(header());
    for (let i = 0; i < 1000; i++)
      summary.add(failed({ document: `d${i}`, ...(i === 900 ? {} : { scores: [score({ verdict: 'fail', findings: [] })] }) }));
    const { failures } = summary.finish();
    expect(failures.total).toBe(1000);
    expect(failures.kept).toHaveLength(50);
    expect(failures.kept[0]?.document).toBe('d900');
  });

  test('a failure names its failed checks and the quotes that did not stand', () => {
    const warned = score({ check: 'style', verdict: 'fail', severity: 'warn', findings: [] });
    const [entry] = summarize(header(), [
      failed({ scores: [warned, score({ verdict: 'fail', explanation: 'why', findings: [finding(), altered] })] }),
    ]).failures.kept;
    expect(entry?.checks).toEqual([
      { check: 'evidence', verdict: 'fail', explanation: 'why', findings: { total: 1, kept: [altered] }, absences: { total: 0, kept: [] } },
    ]);
  });

  test('a failed warning is counted and decides nothing', () => {
    const summary = summarize(header(), [line({ scores: [score({ verdict: 'fail', severity: 'warn' })] })]);
    expect(summary).toMatchObject({ warnings: 1, verdict: 'pass' });
  });

  test('quotes are counted by what became of them', () => {
    const findings = [finding(), finding({ tier: 'normalised' }), finding(), altered, invented, finding({ status: 'near', tier: null })];
    expect(summarize(header(), [failed({ scores: [score({ verdict: 'fail', findings })] })]).evidence).toEqual({
      quotes: 6,
      verified: 3,
      tiers: [
        { tier: 'verbatim', quotes: 2 },
        { tier: 'normalised', quotes: 1 },
      ],
      elided: 0,
      near: 1,
      rejected: 2,
      reasons: [
        { reason: 'altered', quotes: 1 },
        { reason: 'not_found', quotes: 1 },
      ],
      unseen: 0,
      pagesCorrected: 0,
      linesCorrected: 0,
      absences: { claims: 0, whole: 0 },
    });
  });

  test('a pass with nothing to look up is counted, one without an evidence check is not', () => {
    const summary = summarize(header(), [
      line({ scores: [score({ findings: [] })] }),
      line({ document: 'b.md', scores: [score()] }),
      line({ document: 'c.pdf', scores: [score({ check: 'count', type: 'count', findings: [] })] }),
    ]);
    expect(summary.passedWithoutFinding).toBe(1);
  });

  test('a pass that no check looked at is counted apart', () => {
    const summary = summarize(header(), [line({ scores: [] }), line({ document: 'b.md', scores: [score()] })]);
    expect(summary.passedUnchecked).toBe(1);
  });

  test('what could not be evaluated is grouped by reason and document', () => {
    const error = { reason: 'document_no_text', message: 'no text layer' } as const;
    const summary = summarize(header(), [
      broken({ document: 'scan.pdf', error, calls: 0 }),
      broken({ document: 'scan.pdf', task: 'ambiguity2', error, calls: 0 }),
      broken({ document: 'a.md' }),
    ]);
    expect(summary.notEvaluated).toMatchObject({
      results: 3,
      reasons: [
        { reason: 'document_no_text', results: 2 },
        { reason: 'timeout', results: 1 },
      ],
      entries: {
        total: 2,
        kept: [
          { document: 'scan.pdf', results: 2, message: 'no text layer' },
          { document: 'a.md', results: 1 },
        ],
      },
    });
  });

  test('cost is the exact sum of what has a price, and unknown when nothing has', () => {
    const priced = Array.from({ length: 10 }, (_, i) => line({ document: `d${i}`, costUsd: 0.1 }));
    const free = line({ calls: 0, attempts: 0, costUsd: null, cached: true });
    const unpriced = line({ document: 'u', costUsd: null });
    expect(summarize(header(), priced).cost).toEqual({ spentUsd: 1, unpricedJobs: 0 });
    expect(summarize(header(), [...priced, unpriced]).cost).toEqual({ spentUsd: 1, unpricedJobs: 1 });
    expect(summarize(header(), [unpriced]).cost).toEqual({ spentUsd: null, unpricedJobs: 1 });
    expect(summarize(header(), [free]).cost).toEqual({ spentUsd: 0, unpricedJobs: 0 });
  });

  test('effort, tokens and cache are summed', () => {
    const usage = { uncachedInput: 10, cacheRead: 5, cacheWrite: 1, output: 3, reasoning: 2 };
    const summary = summarize(header(), [
      line({ usage, calls: 3, attempts: 3, retries: 1, reasked: true, repaired: true }),
      line({ document: 'b.md', usage: { ...usage, cacheRead: 0 }, calls: 0, attempts: 0, cached: true }),
    ]);
    expect(summary.effort).toEqual({ calls: 3, attempts: 3, retries: 1, reasked: 1, repaired: 1 });
    expect(summary.tokens).toEqual({ input: 27, cachedInput: 5, output: 6 });
    expect(summary.jobs.cached).toBe(1);
  });

  test('the slowest calls are those of this run', () => {
    const lines = [100, 900, 500].map((latencyMs) => line({ document: `${latencyMs}`, latencyMs }));
    const summary = summarize(header(), [...lines, line({ document: 'hit', cached: true, latencyMs: 5000 })]);
    expect(summary.slowest.kept.map((job) => job.latencyMs)).toEqual([900, 500, 100]);
  });

  test('the JSON summary starts with its version and does not depend on the order of keys', () => {
    const lines = [failed(), line({ document: 'b.md' })];
    const reversed = <T extends object>(value: T): T =>
      JSON.parse(JSON.stringify(value), (_, item) =>
        item !== null && typeof item === 'object' && !Array.isArray(item) ? Object.fromEntries(Object.entries(item).reverse()) : item,
      );
    const json = summaryJson(summarize(header(), lines));
    expect(json.startsWith('{\n  "v": 1,\n')).toBe(true);
    expect(summaryJson(summarize(reversed(header()), lines.map(reversed)))).toBe(json);
  });
});
