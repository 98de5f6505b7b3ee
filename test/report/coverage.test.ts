import { describe, expect, test } from 'vitest';
import { lostPagesPhrase, notEvaluatedPhrase, numberRanges, unseenPhrase } from '../../src/report/coverage-phrases.ts';
import { summaryMarkdown } from '../../src/report/markdown.ts';
import { summarize } from '../../src/report/summarize.ts';
import { summaryText } from '../../src/report/text.ts';
import { coverage, header, line } from './sample.ts';

const same = (text: string): string => text;

describe('what was not evaluated, in words', () => {
  test.each([
    [[7], '7'],
    [[5, 3, 4, 7], '3–5, 7'],
    [[1, 1, 2], '1–2'],
    [Array.from({ length: 20 }, (_, i) => 2 * i), '0, 2, 4, 6, 8, 10, 12, 14, …'],
  ])('pages %j are %s', (numbers, text) => {
    expect(numberRanges(numbers)).toBe(text);
  });

  test('lost pages are grouped by why, a single one has its printed number', () => {
    const lost = [3, 4, 5].map((number) => ({ number, label: String(number), why: 'an image without text' }));
    expect(lostPagesPhrase([{ number: 7, label: 'v', why: 'cannot be read' }, ...lost], same)).toBe(
      'page 7 (printed: v): cannot be read; pages 3–5: an image without text',
    );
  });

  test('a text of which a part was in no prompt says which', () => {
    const missed = ['A', 'B', 'C', 'D'];
    const some = coverage({
      characters: 665,
      sections: { seen: 4, of: 12, missed },
      pages: { seen: 8, of: 12, missed: [4, 5, 6, 7] },
    });
    expect(unseenPhrase(some, same)).toBe('only 66 % of its text in a prompt; not pages 4–7; not sections A, B, C and 5 more');
    expect(unseenPhrase(coverage(), same)).toBeNull();
    expect(notEvaluatedPhrase(coverage(), same)).toBe('');
  });
});

describe('a summary of documents that were not evaluated in full', () => {
  const lost = coverage({ parts: 3, lostPages: [{ number: 7, label: null, why: 'cannot be read' }] });
  const lines = [
    line({ coverage: lost }),
    line({ task: 'ambiguity', coverage: coverage({ parts: 2, characters: 500 }) }),
    line({ document: 'b.md', coverage: coverage() }),
    line({ document: 'c.pdf', coverage: coverage({ characters: 999 }) }),
    line({ document: 'd.html' }),
  ];

  test('counts each document once, as the job saw it that saw least', () => {
    const { partJobs, parts, partial } = summarize(header(), lines).coverage;
    expect({ partJobs, parts }).toEqual({ partJobs: 2, parts: 5 });
    expect(partial).toEqual({
      total: 2,
      kept: [
        { document: 'a.md', jobs: 2, coverage: coverage({ parts: 2, characters: 500 }) },
        { document: 'c.pdf', jobs: 1, coverage: coverage({ characters: 999 }) },
      ],
    });
  });

  test('says so in plain sight, in Markdown and in text', () => {
    const summary = summarize(header(), [line({ coverage: lost }), ...lines.slice(2)]);
    const markdown = summaryMarkdown(summary);
    expect(markdown).toContain('1 job asked its document in 3 parts.');
    expect(markdown).toContain(
      '#### Not evaluated in full (2 documents)\n\n- `a.md` — evaluated without page 7: `cannot be read`\n- `c.pdf` — only 99 % of its text in a prompt\n',
    );
    expect(summaryText(summary)).toContain('Not evaluated in full (2 documents)\n  - a.md  evaluated without page 7: cannot be read\n');
  });

  test('of a thousand such documents names a few and counts all, whatever else was left out to fit', () => {
    const many = Array.from({ length: 1000 }, (_, i) => line({ document: `d${i}.pdf`, coverage: lost }));
    const summary = summarize(header(), [...many, ...many]);
    expect(summary.coverage.partial).toMatchObject({ total: 1000, kept: { length: 50 } });
    expect(summaryMarkdown(summary)).toContain('- 990 more documents in results.jsonl');
    expect(summaryMarkdown(summary, { maxLength: 3000 })).toContain('without ');
    expect(summaryText(summary)).toContain('… 990 more in results.jsonl');
  });
});
