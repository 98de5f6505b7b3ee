import { describe, expect, test } from 'vitest';
import { summaryMarkdown } from '../../src/report/markdown.ts';
import { summarize } from '../../src/report/summarize.ts';
import { summaryText } from '../../src/report/text.ts';
import { altered, broken, failed, header, line, score } from './sample.ts';

const scores = [score({ verdict: 'fail', explanation: 'word '.repeat(40), findings: [altered] })];
const lines = ['a.md', 'b.md'].flatMap((document) => ['fast', 'local', 'third'].map((model) => failed({ document, model, scores })));

describe('failures of one document with several models', () => {
  const summary = summarize(header(), lines);

  test('are one entry in Markdown that lists the models and has each quote once', () => {
    const text = summaryMarkdown(summary);
    expect(text.match(/^\d+\. .*$/gm)).toEqual(
      ['a.md', 'b.md'].map((document, i) => {
        const job = '[`j3f9abcd`](jobs/j3f9abcdefghijklmnopqrstuv/)';
        return `${i + 1}. \`${document}\` · \`claims\` · 3 models: \`fast\` (${job}), \`local\` (${job}), \`third\` (${job})`;
      }),
    );
    expect(text).toContain('#### Failures (6)');
    expect(text.split('<details>')[0]?.match(/quoted: /g)).toHaveLength(2);
  });

  test('are one entry in plain text too', () => {
    expect(summaryText(summary).match(/^ {2}- .*$/gm)).toContain(
      '  - b.md  claims  3 models: fast (job j3f9abcd), local (job j3f9abcd), third (job j3f9abcd)',
    );
  });

  test('have a short explanation where quotes follow', () => {
    expect(/ — `([^`]+)`/.exec(summaryMarkdown(summary).split('#### Failures')[1] ?? '')?.[1]?.length).toBeLessThanOrEqual(81);
  });

  test('stay apart where other checks failed', () => {
    const other = failed({ model: 'local', scores: [score({ check: 'other', verdict: 'fail' })] });
    expect(summaryMarkdown(summarize(header(), [failed({ scores }), other])).match(/^\d+\. /gm)).toHaveLength(2);
  });
});

test('what could not be evaluated is counted in results, with how many of them are shown', () => {
  const documents = Array.from({ length: 12 }, (_, i) => `d${i}`);
  const told = documents.flatMap((document) => [broken({ document }), broken({ document, model: 'local' })]);
  const summary = summarize(header(), [line(), ...told]);
  expect(summaryMarkdown(summary)).toContain('#### Not evaluated (24, showing 20)');
  expect(summaryText(summary)).toContain('Not evaluated (24, showing 20)');
});

test('very many repeats of one result are folded in linear time', () => {
  const tasks = { claims: { repeats: 1_000_000, aggregate: 'majority' as const } };
  const one = line();
  function* repeats() {
    for (let repeat = 0; repeat < 100_000; repeat += 1) yield one;
  }
  expect(summarize(header({ tasks }), repeats()).results).toMatchObject({ total: 1, open: 1 });
});
