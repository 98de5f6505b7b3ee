import { describe, expect, test } from 'vitest';
import { annotationsOf } from '../../src/report/annotations.ts';
import { summaryCommands } from '../../src/report/github.ts';
import { summarize } from '../../src/report/summarize.ts';
import { altered, broken, coverage, failed, finding, header, line, score } from './sample.ts';

const near = finding({ status: 'near', tier: null, diff: 'shall → should', text: 'The server should retry' });
const doubtful = (document: string) => line({ document, verdict: 'review', scores: [score({ verdict: 'review', findings: [near] })] });

describe('annotations', () => {
  test('stand beside the document, worst first', () => {
    const moved = finding({ status: 'rejected', tier: null, reason: 'altered', diff: '1 → 2' }, 'offset 2');
    const annotations = annotationsOf(
      summarize(header(), [
        doubtful('d.md'),
        broken({ document: 'c.pdf' }),
        failed({ document: 'specs/auth.md', scores: [score({ verdict: 'fail', explanation: '1 of 1 quotes', findings: [moved] })] }),
        line({ document: 'e.txt', coverage: coverage({ characters: 500 }) }),
      ]),
    );
    expect(annotations).toEqual([
      {
        level: 'error',
        file: 'specs/auth.md',
        line: 88,
        title: 'claims / fast: failed',
        message: 'evidence: 1 of 1 quotes\n- line 88, altered: "offset 2"\naieval show j3f9abcd',
      },
      {
        level: 'error',
        file: 'c.pdf',
        line: null,
        title: 'claims / fast: not evaluated',
        message: 'timeout: no answer in 120 s\naieval show j3f9abcd',
      },
      {
        level: 'warning',
        file: 'd.md',
        line: 88,
        title: 'claims / fast: to review',
        message: 'evidence\n- line 88, near, but not the same: "The server MUST retry"\naieval show j3f9abcd',
      },
      { level: 'warning', file: 'e.txt', line: null, title: 'not evaluated in full', message: 'only 50 % of its text in a prompt' },
    ]);
  });

  test.each([
    ['pages', 'a.pdf', altered],
    ['lines of a text that was taken out of it', 'a.HTML', finding({ status: 'rejected', reason: 'cut' })],
    ['lines of a text that was taken out of it', 'a.md.gz', finding({ status: 'rejected', reason: 'cut' })],
    ['lines of a text that was taken out of it', 'a.docx', finding({ status: 'rejected', reason: 'cut' })],
  ])('of a document with %s name no line: %s', (_, document, quote) => {
    const [only] = annotationsOf(summarize(header(), [failed({ document, scores: [score({ verdict: 'fail', findings: [quote] })] })]));
    expect(only).toMatchObject({ file: document, line: null });
  });

  test('of plain text with pages name the line of the file', () => {
    const [only] = annotationsOf(
      summarize(header(), [failed({ document: 'rfc.txt', scores: [score({ verdict: 'fail', findings: [altered] })] })]),
    );
    expect(only).toMatchObject({ file: 'rfc.txt', line: 14 });
  });

  test.each([
    [10, 10, undefined],
    [11, 9, '2 more in the summary'],
    [1200, 9, '1,191 more in the summary'],
  ])('of %i failures are %i, and say how many are left', (failures, shown, last) => {
    const summary = summarize(header(), [...Array.from({ length: failures }, (_, i) => failed({ document: `${i}.md` })), doubtful('z.md')]);
    const annotations = annotationsOf(summary);
    expect(annotations.filter(({ level, file }) => level === 'error' && file !== null)).toHaveLength(shown);
    expect(annotations.find(({ level, file }) => level === 'error' && file === null)?.message).toBe(last);
    expect(annotations.at(-1)).toMatchObject({ level: 'warning', file: 'z.md' });
  });

  test('of a run in which all is well are none, and its headline is a notice', () => {
    const summary = summarize(header(), [line()]);
    expect(annotationsOf(summary)).toEqual([]);
    expect(summaryCommands(summary)).toBe(
      '::notice title=aieval%3A PASS::spec-review · 100.0 %25 pass (gate 80 %25)%0A5 documents, 1 result: 1 pass, 0 fail, 0 not evaluated, 0 to review · run r-8kq2\n',
    );
  });
});
