import { describe, expect, test } from 'vitest';
import { summaryJson } from '../../src/report/json.ts';
import { summaryMarkdown } from '../../src/report/markdown.ts';
import { summarize } from '../../src/report/summarize.ts';
import { broken, finding, header, line, score } from './sample.ts';

const said = (quote: string, beside: Record<string, string | number | boolean> = {}) => ({
  ...finding({}, quote),
  at: `/${quote}`,
  beside,
});
const answer = (document: string, ...findings: ReturnType<typeof said>[]) => line({ document, scores: [score({ findings })] });

describe('the findings of a run', () => {
  test('come by severity, then in plan order, those of passing answers too', () => {
    const summary = summarize(header(), [
      answer('a.md', said('first'), said('low', { severity: 'low' })),
      answer('b.md', said('high', { severity: 'High' }), said('critical', { severity: 'critical' })),
      broken({ document: 'c.pdf' }),
    ]);
    expect(summary.findings.kept.map((entry) => entry.finding.quote)).toEqual(['critical', 'high', 'low', 'first']);
  });

  test('are folded in Markdown with quote, place, fields and marks', () => {
    const marked = { ...finding({ marks: ['boundary'] }), beside: { severity: 'high', problem: 'no `limit`' } };
    expect(summaryMarkdown(summarize(header(), [line({ scores: [score({ findings: [marked] })] })]))).toContain(
      [
        '<details><summary>Findings (1)</summary>',
        '',
        '- `a.md` · `claims` / `fast` · pass · line 88: verified (cut where the document has no space)',
        '    - `The server MUST retry`',
        '    - `severity`: `high`',
        '    - `problem`: `` no `limit` ``',
        '',
        '</details>',
      ].join('\n'),
    );
  });

  test('count a quote that two checks looked up once, and at most 50 are kept', () => {
    const twice = line({ scores: [score({ findings: [said('a')] }), score({ check: 'other', findings: [said('a')] })] });
    const many = answer('b.md', ...Array.from({ length: 60 }, (_, i) => said(`${i}`)));
    const { findings } = summarize(header(), [twice, many]);
    expect([findings.total, findings.kept.length]).toEqual([61, 50]);
  });

  test('are counted only where no words may be shown', () => {
    const summary = summarize(header({ privacy: 'none' }), [answer('a.md', said('zq', { severity: 'zq' }), said('zq2'))]);
    expect(summary.findings).toEqual({ total: 2, kept: [] });
    expect(summaryMarkdown(summary)).toContain('Findings (2): what they say is left out.');
    expect(summaryJson(summary)).not.toContain('zq');
  });
});
